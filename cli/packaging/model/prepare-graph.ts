import { type OnStep, timeStep } from '#core/time/time-step.ts';
import type { OnnxRuntime } from '../../adapters/onnxruntime.ts';
import type { BuildStep } from '../build-steps.ts';
import type { OptimizedGraph } from './optimize-graph.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import type { GraphRequest, PreparedGraph, RunnableGraph, TriedFile } from './prepared-graph.ts';
import { rewriteGraph } from './rewrite-graph.ts';
import { isStuck } from './stuck-error.ts';
import { tryGraph } from './try-graph.ts';
import { tryTokenOutputs } from './token-outputs.ts';
import { writeShapes } from './write-shapes.ts';

/** Prepares an optimized graph: rewrites it for the runtime, and runs texts through the result. Writes all files to `folder`. */
export async function prepareGraph(
  runtime: OnnxRuntime,
  request: GraphRequest,
  tokenizer: PreparedTokenizer,
  optimized: Promise<OptimizedGraph>,
  folder: string,
  onStep?: OnStep<BuildStep>,
): Promise<PreparedGraph> {
  const rewritten = await timeStep(onStep, 'rewrite', async () =>
    rewriteGraph(request, tokenizer, await optimized),
  );
  const { tryOut } = request.rules;
  const tried = tryOut
    ? await timeStep(onStep, 'run', () => tryOut(runtime, request, tokenizer, rewritten, folder))
    : await tryTextGraph(runtime, request, tokenizer, rewritten, folder, onStep);
  const tokenOutputs = await tryTokenOutputs(runtime, request.file, tokenizer, rewritten, folder);
  const { graph: _, changes, ...prepared } = rewritten;
  const limit =
    tried.maxLength < longestPossible(tokenizer, rewritten)
      ? [`Texts are limited to ${tried.maxLength} tokens, because the model fails on longer ones`]
      : [];
  return { ...prepared, ...tried, tokenOutputs, changes: [...changes, ...limit] };
}

/** Records the shapes of the values of a graph, and runs texts through it. A graph that fails with shapes stays without. */
export async function tryTextGraph(
  runtime: OnnxRuntime,
  request: GraphRequest,
  tokenizer: PreparedTokenizer,
  runnable: RunnableGraph,
  folder: string,
  onStep?: OnStep<BuildStep>,
): Promise<TriedFile> {
  const attempt = (graphPath: string): Promise<TriedFile> =>
    timeStep(onStep, 'run', async () => ({
      ...(await tryGraph(runtime, request, tokenizer, { ...runnable, graphPath }, folder)),
      graphPath,
    }));
  const path = await timeStep(onStep, 'shapes', () =>
    writeShapes(runtime, request.file, tokenizer, runnable),
  );
  const shaped = path === undefined ? undefined : await attempt(path).catch(unlessStuck);
  if (shaped?.maxLength === longestPossible(tokenizer, runnable)) return shaped;
  // Whether the model or a shape is at fault shows the graph without shapes. Its errors are those of the model.
  const plain = await attempt(runnable.graphPath);
  return shaped?.maxLength === plain.maxLength ? shaped : plain;
}

const longestPossible = (
  { settings }: PreparedTokenizer,
  { fixedShape }: Pick<RunnableGraph, 'fixedShape'>,
): number => Math.min(settings.maxLength, fixedShape?.tokens ?? Infinity);

/** After a run that did not end, there is no process for another one. */
function unlessStuck(error: unknown): undefined {
  if (isStuck(error)) throw error;
}
