import { AppError, configError } from '#contract/errors.ts';
import type { FixedShape } from '#contract/fixed-shape.ts';
import { rowOf, shapeOfRow } from '#core/model/raw-output.ts';
import type { Tensor } from '#core/tensor/tensor.ts';
import type { OnnxRuntime } from '../../adapters/onnxruntime.ts';
import type { TryResult } from '../../adapters/onnxruntime-task.ts';
import { MASKED_OUTPUT } from '../onnx/mask-positions.ts';
import type { SelectedOutput } from '../onnx/select-output.ts';
import { findBatching } from './find-batching.ts';
import { findMaxLength } from './find-max-length.ts';
import { graphError } from './graph-error.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import type { GraphRequest, RunnableGraph, TriedGraph } from './prepared-graph.ts';
import { stuckError } from './stuck-error.ts';
import { greatest } from '#core/numbers/extremes.ts';

type Ids = readonly number[];

/** A short text, a long one and one with non-ASCII characters, as in a typical batch. */
const SAMPLE_TEXTS = ['Hello', 'The quick brown fox jumps over the lazy dog.', 'naïve 東京 🙂'];

/** Longer than the others together, to see the effect of padding. */
const LONG_TEXT = SAMPLE_TEXTS.join(' ').repeat(3);

/** Runs texts through a graph as the executable will, alone and together. */
export async function tryGraph(
  runtime: OnnxRuntime,
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
  // The sample texts have no mask; the graph then returns the logits of one token.
  const expected = shape.length === 2 ? [texts] : [texts, name === MASKED_OUTPUT.name ? 1 : longest];
  const width = dims.at(-1) ?? 0;
  if (dims.length === shape.length && expected.every((size, axis) => size === dims[axis]) && width > 0)
    return width;
  throw configError(
    `Model must return tensor of shape [${shape.join(', ')}]; for ${texts} texts of up to ${longest} tokens, ` +
      `\`${name}\` of ${model} is [${dims.join(', ')}].`,
  );
}
