import { type OnStep, timeStep } from '#core/time/time-step.ts';
import type { OnnxTools } from '../../adapters/onnxruntime.ts';
import type { BuildStep } from '../build-steps.ts';
import type { OptimizedGraph } from './optimize-graph.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import type { GraphRequest, PreparedGraph, RunnableGraph, TriedFile, TriedGraph } from './prepared-graph.ts';
import { rewriteGraph } from './rewrite-graph.ts';
import { isStuck, stuckError, graphError } from './graph-error.ts';
import { tryTokenOutputs } from './token-outputs.ts';
import { dirname } from 'node:path';
import { AppError, configError } from '#contract/errors.ts';
import { GraphFile } from '../onnx/graph-file.ts';
import { exposeValues, recordShapes, type RunSize } from '../onnx/value-shapes.ts';
import type { FixedShape } from '#contract/fixed-shape.ts';
import { rowOf, shapeOfRow } from '#core/model/raw-output.ts';
import type { Tensor } from '#core/tensor/tensor.ts';
import type { TryResult } from '../../adapters/onnxruntime-task.ts';
import { MASKED_OUTPUT } from '../onnx/mask-positions.ts';
import type { SelectedOutput } from '../onnx/select-output.ts';
import { findBatching } from './find-batching.ts';
import { findMaxLength } from './find-max-length.ts';
import { greatest } from '#core/numbers/extremes.ts';
import { findNotFinite } from '#core/numbers/finite.ts';

/**
 * Rewrites an optimized graph for the runtime, and runs texts through the result. Writes all files
 * to `folder`.
 */
export async function prepareGraph(
  runtime: OnnxTools,
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
      ? [`Texts are limited to ${tried.maxLength} tokens, because the model fails on longer texts`]
      : [];
  return { ...prepared, ...tried, tokenOutputs, changes: [...changes, ...limit] };
}

/**
 * Records the shapes of a graph's intermediate values, and runs texts through the graph. If it
 * fails with these shapes, the graph without shapes is used.
 */
export async function tryTextGraph(
  runtime: OnnxTools,
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
  // Runs the graph without shapes to find out whether the model or a recorded shape is at fault. If
  // this run also fails, the model is at fault, and its error is reported.
  const plain = await attempt(runnable.graphPath);
  return shaped?.maxLength === plain.maxLength ? shaped : plain;
}

const longestPossible = (
  { settings }: PreparedTokenizer,
  { fixedShape }: Pick<RunnableGraph, 'fixedShape'>,
): number => Math.min(settings.maxLength, fixedShape?.tokens ?? Infinity);

/**
 * Rethrows the error for a run that did not finish: its process was terminated, so no other run is
 * possible.
 */
function unlessStuck(error: unknown): undefined {
  if (isStuck(error)) throw error;
}

/**
 * Writes a copy of a graph with the shapes of its intermediate values, which ONNX Runtime opens in
 * a fraction of the time (docs/decisions/0094). Returns the path of the copy, or undefined if the
 * shapes cannot be determined. `model` is the model file, for messages.
 */
async function writeShapes(
  runtime: OnnxTools,
  model: string,
  { tokenizer, settings: { padId, maxLength } }: PreparedTokenizer,
  { graphPath, signature: { inputs }, fixedShape, firstPosition }: RunnableGraph,
): Promise<string | undefined> {
  if (Math.min(maxLength, fixedShape?.tokens ?? Infinity) < LONGEST.tokens) return undefined;
  const [sample = []] = await tokenizer.encode(['Hello']);
  // Texts of different lengths, so that a size that counts tokens without padding is not mistaken
  // for a fixed shape.
  const batch = ({ texts, tokens }: RunSize): number[][] =>
    Array.from({ length: texts }, (_, row) => textOf(sample, tokens - row, padId));
  const sizes = [...SHORTER, LONGEST].map((size) => ({ ...size, ...fixedShape }));
  const runs = sizes.map((size) => ({ ids: batch(size), computedRows: size.rows }));
  const file = await GraphFile.read(graphPath);
  try {
    const exposed = await file.write('exposed', ({ graph }) => graph && exposeValues(graph));
    const values = await runtime.measure({
      folder: dirname(graphPath),
      inputs,
      padId,
      fixedShape,
      firstPosition,
      graph: exposed.path,
      values: exposed.result ?? [],
      runs,
    });
    const shaped = await file.write('shaped', ({ graph }) => graph && recordShapes(graph, values, sizes));
    return shaped.path;
  } catch (error) {
    if (error instanceof AppError) throw stuckError(model, runs[0]?.ids ?? [], error);
    // The graph may still run without shapes: the failure can be caused by values whose types
    // cannot be outputs, such as sequences.
    return undefined;
  }
}

const textOf = (sample: readonly number[], length: number, padId: number): number[] =>
  Array.from({ length }, (_, at) => sample[Math.min(at, 1)] ?? padId);

/**
 * Numbers of texts and tokens that are not multiples of each other, so that it is clear what the
 * size of an axis depends on.
 */
const SHORTER: readonly RunSize[] = [
  { texts: 2, tokens: 13, rows: 7 },
  { texts: 3, tokens: 5, rows: 3 },
];
const LONGEST: RunSize = { texts: 1, tokens: 16, rows: 5 };

type Ids = readonly number[];

/** A short text, a long one and one with non-ASCII characters, as in a typical batch. */
export const SAMPLE_TEXTS = ['Hello', 'The quick brown fox jumps over the lazy dog.', 'naïve 東京 🙂'];

/** Longer than all other texts together, to test the effect of padding. */
const LONG_TEXT = SAMPLE_TEXTS.join(' ').repeat(3);

/** Runs texts through a graph as the executable will, alone and together. */
async function tryGraph(
  runtime: OnnxTools,
  request: GraphRequest,
  { tokenizer, settings: { maxLength: wanted, padId } }: PreparedTokenizer,
  { graphPath, graph, signature: { inputs, output }, fixedShape, firstPosition }: RunnableGraph,
  folder: string,
): Promise<TriedGraph> {
  const { file: model, isLengthChosen } = request;
  if (isLengthChosen) refuseLonger(wanted, fixedShape, model);
  const limit = Math.min(wanted, fixedShape?.tokens ?? Infinity);
  const tryOut = async (ids: readonly Ids[], isUnused = false): Promise<TryResult> => {
    const task = { graph: graphPath, folder, inputs, output: output.name, ids, padId, isUnused };
    try {
      return await runtime.tryOut({ ...task, fixedShape, firstPosition });
    } catch (error) {
      throw error instanceof AppError ? stuckError(model, ids, error) : error;
    }
  };
  const run = async (ids: readonly Ids[]): Promise<TryResult> => {
    try {
      return await tryOut(ids);
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw graphError(request, `${model} failed on a sample text`, error);
    }
  };
  const encode = async (texts: readonly string[]): Promise<number[][]> =>
    (await tokenizer.encode(texts)).map((row) => row.slice(0, limit));

  const ids = await encode(SAMPLE_TEXTS);
  const batch = ids.slice(0, fixedShape?.texts);
  const { dims } = await run(batch);
  const width = checkDims(dims, batch, output, fixedShape, model);
  const maxLength = await findMaxLength({
    run: (longest) => tryOut(longest, true),
    sample: ids[0] ?? [],
    maxLength: limit,
    padId,
    isChosen: isLengthChosen,
    model,
  });
  const long = (await encode([LONG_TEXT])).map((row) => row.slice(0, maxLength));
  const texts = [...ids, ...long];
  const alone: Tensor[] = [];
  for (const row of texts) {
    const raw = await run([row]);
    alone.push({ data: rowOf(raw, 0, row.length), shape: shapeOfRow(raw, row.length) });
  }
  const batching = await findBatching({
    graph,
    inputs,
    fixedShape,
    texts,
    alone: alone.map(({ data }) => data),
    run,
  });
  return { width, batching, maxLength, samples: alone.slice(0, ids.length) };
}

function refuseLonger(chosen: number, fixed: FixedShape | undefined, model: string): void {
  const { texts = 'any', tokens } = fixed ?? {};
  if (tokens === undefined || chosen <= tokens) return;
  throw configError(
    `\`max_length\` is ${chosen}, but the inputs of ${model} have the fixed shape [${texts}, ${tokens}]. Set \`max_length\` to at most ${tokens}, or export the model with dynamic axes.`,
  );
}

function checkDims(
  dims: readonly number[],
  ids: readonly Ids[],
  { name, shape }: SelectedOutput,
  fixedShape: FixedShape | undefined,
  model: string,
): number {
  const texts = fixedShape?.texts ?? ids.length;
  const longest = fixedShape?.tokens ?? greatest(ids.map((row) => row.length));
  // The sample texts contain no mask token. In this case, the graph returns the logits of one token.
  const expected = shape.length === 2 ? [texts] : [texts, name === MASKED_OUTPUT.name ? 1 : longest];
  const width = dims.at(-1) ?? 0;
  if (dims.length === shape.length && expected.every((size, axis) => size === dims[axis]) && width > 0)
    return width;
  throw configError(
    `Model must return tensor of shape [${shape.join(', ')}]; for ${texts} texts of up to ${longest} tokens, ` +
      `\`${name}\` of ${model} is [${dims.join(', ')}].`,
  );
}

/** Rejects a model whose output for a sample text contains NaN or infinity. */
export function checkFiniteOutput({ samples, signature }: PreparedGraph, model: string): void {
  for (const { data } of samples) {
    const index = findNotFinite(data);
    if (index === undefined) continue;
    throw configError(
      `Output \`${signature.output.name}\` of ${model} contains ${data[index]} for a sample text, but results must be finite numbers. ` +
        'Export the model to ONNX again, with float32 instead of float16.',
    );
  }
}
