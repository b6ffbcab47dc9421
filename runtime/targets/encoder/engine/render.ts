import type { Manifest } from '../../../contract/manifest.ts';
import { encodeJson } from '../../../core/json-writer.ts';
import type { TokenBatch } from '../../../core/padding.ts';
import { meanOfRows, normalizeL2 } from '../../../core/vectors.ts';
import { TASKS } from '../tasks/index.ts';
import type { Inference } from '../tasks/task.ts';
import type { View } from './api.ts';
import type { RenderReply, RenderRow } from './protocol.ts';
import { type RawOutput, rowOf } from './raw-output.ts';

/** Makes of every row of a batch what its view asks for. */
export function renderRows(
  output: RawOutput,
  batch: TokenBatch,
  rows: readonly RenderRow[],
  manifest: Manifest,
): RenderReply {
  const parts = rows.map(({ view, details }, row) => {
    const length = batch.lengths[row] ?? 0;
    const start = row * batch.columns;
    const ids = batch.ids.subarray(start, start + length);
    const text = { ids, details, truncated: false };
    return render({ text, values: rowOf(output, row, length) }, view, manifest);
  });
  let end = 0;
  const ends = parts.map((part) => (end += part.length));
  const bytes = new Uint8Array(end);
  for (const [row, part] of parts.entries()) bytes.set(part, (ends[row] ?? 0) - part.length);
  return { bytes, ends };
}

function render(inference: Inference, view: View, manifest: Manifest): Uint8Array {
  if (view.kind === 'vector') return renderVector(inference, view, manifest);
  const task = TASKS[manifest.modelType];
  const result = task.result(inference, manifest, view.options);
  return view.format === 'proto' ? task.proto(result) : encodeJson(result);
}

function renderVector(
  { text, values }: Inference,
  { format, normalize, dimensions }: View & { kind: 'vector' },
  manifest: Manifest,
): Uint8Array {
  const mean = meanOfRows(values, text.ids.length, manifest.width).subarray(0, dimensions);
  const vector = normalize ? normalizeL2(mean) : mean;
  if (format === 'json') return encodeJson(vector);
  const base64 = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
  return Buffer.from(`"${base64}"`);
}
