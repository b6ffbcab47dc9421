import { type OnnxRuntime, withOnnxRuntime } from '../../adapters/onnxruntime.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import { type GraphRequest, type RewrittenGraph, rewriteGraph } from './rewrite-graph.ts';
import { tryEntityGraph } from './try-entity-graph.ts';
import { type RunnableGraph, type TriedGraph, tryGraph } from './try-graph.ts';
import { type TriedTokenOutputs, tryTokenOutputs } from './try-token-outputs.ts';
import { writeShapes } from './write-shapes.ts';

export type PreparedGraph = Omit<RewrittenGraph, 'graph' | 'tokenOutputs'> &
  TriedGraph & {
    /** Outputs for each token next to the vectors of a sentence_embedding model; undefined if there are none. */
    readonly tokenOutputs: TriedTokenOutputs | undefined;
  };

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
      : await tryTextGraph(runtime, request, tokenizer, rewritten, folder);
    const tokenOutputs = await tryTokenOutputs(runtime, request.file, tokenizer, rewritten, folder);
    const { graph: _, changes, ...prepared } = rewritten;
    const possible = Math.min(tokenizer.settings.maxLength, rewritten.fixedShape?.tokens ?? Infinity);
    const limit =
      tried.maxLength < possible
        ? [`Texts are limited to ${tried.maxLength} tokens, because the model fails on longer ones`]
        : [];
    return { ...prepared, ...tried, tokenOutputs, changes: [...changes, ...limit] };
  });
}

/** Runs texts through a graph, and records the shapes of its values. */
export async function tryTextGraph(
  runtime: OnnxRuntime,
  request: GraphRequest,
  tokenizer: PreparedTokenizer,
  runnable: RunnableGraph,
  folder: string,
): Promise<TriedGraph & Pick<RunnableGraph, 'graphPath'>> {
  const tried = await tryGraph(runtime, request, tokenizer, runnable, folder);
  return { ...tried, graphPath: await writeShapes(runtime, tokenizer, runnable, tried) };
}
