import { AppError, messageOf } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { JsonBytes, likelySize, writeJson } from '../json/json-writer.ts';
import { writeVector, writeVectors } from '../json/vector-writer.ts';
import type { RenderReply, RenderRow, RowResult } from './inference-thread.ts';
import type { TokenBatch } from './batch.ts';
import { TASKS } from '../tasks/index.ts';
import { hybridScore } from '../tasks/hybrid-score.ts';
import { scoreFor } from '../tasks/multi-vector.ts';
import { chunkVectors, type Inference, tokenVectors, textVector } from '../math/inference.ts';
import { rankedLabels } from '../tasks/sequence-classification.ts';
import { spansOf } from '../tasks/zero-shot-ner.ts';
import type { View } from './serving.ts';
import { type BatchOutput, rowOf, tokenRowsOf } from '#core/model/raw-output.ts';

export interface RenderInput {
  readonly output: BatchOutput;
  readonly batch: TokenBatch;
  readonly rows: readonly RenderRow[];
  readonly manifest: Manifest;
  readonly layers?: Inference['layers'];
  /** Results of the transform, for models with a transform. */
  readonly transformed: readonly RowResult[] | undefined;
}

/**
 * Renders every row of a batch in the form that its view specifies. All rows are written to one buffer:
 * the memory of a buffer for each row would have to be released before the reply can be sent, which
 * took longer than rendering (measured).
 */
export function renderRows({ output, batch, rows, manifest, layers, transformed }: RenderInput): RenderReply {
  const failures: RenderReply['failures'][number][] = [];
  const target = new JsonBytes(FIRST_ROW_BYTES);
  const ends = rows.map(({ view, details, words }, row) => {
    const begin = target.at;
    const made = output.failed?.[row] ?? transformed?.[row];
    if (made && 'failure' in made) {
      failures.push({ row, message: made.failure, isInput: made.isInput });
      return begin;
    }
    const length = batch.lengths[row] ?? 0;
    const start = row * batch.columns;
    const ids = batch.ids.subarray(start, start + length);
    const text = { ids, details, words, truncated: false };
    try {
      // All positions of an image have values.
      const values = rowOf(output, row, manifest.images ? Infinity : (words?.count ?? length));
      const tokenOutputs = tokenRowsOf(output, row, length);
      const imageSize = output.imageSizes?.[row];
      const [, ...shape] = output.dims;
      const inference = { text, values, shape, imageSize, tokenOutputs, transformed: made, layers };
      render(target, inference, view, manifest);
      // Usually, all rows have the same size as the first one, and a buffer that grows is copied.
      if (row === 0) target.reserve(Math.min((target.at + ROW_SLACK) * rows.length, MAX_RESERVED_BYTES));
    } catch (error) {
      failures.push({ row, ...failureOf(error) });
      target.at = begin;
    }
    return target.at;
  });
  return { bytes: target.written(), ends, failures };
}

/** The reason why a result cannot be rendered, and whether the caller can correct it. */
const failureOf = (error: unknown) => ({
  message: messageOf(error),
  ...(error instanceof AppError && error.code === 'InputError' ? ({ isInput: true } as const) : {}),
});

/** Renders a result for which the model did not run. */
export function renderOne(inference: Inference, view: View, manifest: Manifest): Uint8Array {
  const target = new JsonBytes(FIRST_ROW_BYTES);
  render(target, inference, view, manifest);
  return target.written();
}

const FIRST_ROW_BYTES = 16_384;
/** The numbers in a vector differ in their number of digits. */
const ROW_SLACK = 64;
const MAX_RESERVED_BYTES = 4 * 1024 * 1024;

function render(target: JsonBytes, inference: Inference, view: View, manifest: Manifest): void {
  if (view.kind === 'vector') return writeVector(target, textVector(inference, manifest, view), view.format);
  if (view.kind === 'chunks')
    return writeVectors(target, chunkVectors(inference, manifest, view.ranges, view), view.format);
  const task = TASKS[manifest.modelType];
  if (view.kind !== 'result') return writeValue(target, valueOf(inference, view, manifest));
  const result = task.result(inference, manifest, view.options);
  if (view.format === 'proto' && task.proto) target.append(task.proto(result));
  else writeValue(target, result);
}

/** The first value determines the size of the buffer, because a buffer that grows is copied. */
function writeValue(target: JsonBytes, value: unknown): void {
  if (target.at === 0) target.reserve(likelySize(value));
  writeJson(target, value);
}

function valueOf(
  inference: Inference,
  view: Exclude<View, { kind: 'vector' | 'chunks' | 'result' }>,
  manifest: Manifest,
): unknown {
  if (view.kind === 'max-sim') return scoreFor(view.query, inference, manifest);
  if (view.kind === 'hybrid') return hybridScore(view.query, inference, manifest);
  if (view.kind === 'tokens') return tokenVectors(inference, manifest).slice(...(view.range ?? []));
  if (view.kind === 'labels') return rankedLabels(inference, manifest, view);
  return spansOf(inference, manifest, view.entities);
}
