import { messageOf } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { encodeJson } from '../json/json-writer.ts';
import { encodeVector, encodeVectors } from '../json/vector-writer.ts';
import type { RenderReply, RenderRow, RowResult } from './inference-thread.ts';
import type { TokenBatch } from './batch.ts';
import { TASKS } from '../tasks/index.ts';
import { hybridScore } from '../tasks/hybrid-score.ts';
import { scoreFor } from '../tasks/multi-vector.ts';
import { chunkVectors, type Inference, tokenVectors, textVector } from '../math/inference.ts';
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

/** Renders every row of a batch in the form that its view specifies. */
export function renderRows({ output, batch, rows, manifest, layers, transformed }: RenderInput): RenderReply {
  const failures: { row: number; message: string }[] = [];
  const parts = rows.map(({ view, details, words }, row) => {
    const made = transformed?.[row];
    if (made && 'failure' in made) {
      failures.push({ row, message: made.failure });
      return new Uint8Array();
    }
    const length = batch.lengths[row] ?? 0;
    const start = row * batch.columns;
    const ids = batch.ids.subarray(start, start + length);
    const text = { ids, details, words, truncated: false };
    try {
      const values = rowOf(output, row, words?.count ?? length);
      const tokenOutputs = tokenRowsOf(output, row, length);
      return render({ text, values, tokenOutputs, transformed: made, layers }, view, manifest);
    } catch (error) {
      failures.push({ row, message: messageOf(error) });
      return new Uint8Array();
    }
  });
  let end = 0;
  const ends = parts.map((part) => (end += part.length));
  const bytes = new Uint8Array(end);
  for (const [row, part] of parts.entries()) bytes.set(part, (ends[row] ?? 0) - part.length);
  return { bytes, ends, failures };
}

function render(inference: Inference, view: View, manifest: Manifest): Uint8Array {
  if (view.kind === 'vector') return renderVector(inference, view, manifest);
  if (view.kind === 'chunks')
    return encodeVectors(chunkVectors(inference, manifest, view.ranges, view), view.format);
  if (view.kind === 'max-sim') return encodeJson(scoreFor(view.query, inference, manifest));
  if (view.kind === 'hybrid') return encodeJson(hybridScore(view.query, inference, manifest));
  if (view.kind === 'tokens')
    return encodeJson(tokenVectors(inference, manifest).slice(...(view.range ?? [])));
  if (view.kind === 'spans') return encodeJson(spansOf(inference, manifest, view.entities));
  const task = TASKS[manifest.modelType];
  const result = task.result(inference, manifest, view.options);
  return view.format === 'proto' && task.proto ? task.proto(result) : encodeJson(result);
}

function renderVector(inference: Inference, view: View & { kind: 'vector' }, manifest: Manifest): Uint8Array {
  return encodeVector(textVector(inference, manifest, view), view.format);
}
