import { withOnnxRuntime } from '../../adapters/onnxruntime.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import { type GraphRequest, type RewrittenGraph, rewriteGraph } from './rewrite-graph.ts';
import { tryEntityGraph } from './try-entity-graph.ts';
import { type TriedGraph, tryGraph } from './try-graph.ts';

export type PreparedGraph = Omit<RewrittenGraph, 'graph'> & TriedGraph;

/** Prepares the graph of a model: rewrites it for the runtime, and runs texts through the result. Writes all files to `folder`. */
export function prepareGraph(
  request: GraphRequest,
  tokenizer: PreparedTokenizer,
  folder: string,
): Promise<PreparedGraph> {
  return withOnnxRuntime(async (runtime) => {
    const rewritten = await rewriteGraph(runtime, request, tokenizer, folder);
    const { entities } = request;
    const tried = entities
      ? await tryEntityGraph(runtime, request, entities, tokenizer, rewritten, folder)
      : await tryGraph(runtime, request, tokenizer, rewritten, folder);
    const { graph: _, changes, ...prepared } = rewritten;
    const possible = Math.min(tokenizer.settings.maxLength, rewritten.fixedShape?.tokens ?? Infinity);
    const limit =
      tried.maxLength < possible
        ? [`Texts are limited to ${tried.maxLength} tokens, because the model fails on longer ones`]
        : [];
    return { ...prepared, ...tried, changes: [...changes, ...limit] };
  });
}
