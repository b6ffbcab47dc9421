import { createInterrupter } from '#platform/interrupt.ts';
import type { Manifest } from '#contract/manifest.ts';
import { messageOf } from '#contract/errors.ts';
import { checkFinite } from '#transform/check-result.ts';
import { openTransform, transformRow } from '#transform/transform.ts';
import { markRow, NO_ROW } from './progress.ts';
import type { OpenTransform, RowResult } from './inference-thread.ts';
import { type RawOutput, rowOf, shapeOfRow } from '#core/model/raw-output.ts';

/** Runs a model's transform on each row of a batch; `skips` is the number of leading tokens of each row to ignore. */
export type RowTransform = (
  output: RawOutput,
  lengths: Int32Array,
  skips?: readonly (number | undefined)[],
) => Promise<RowResult[]>;

export async function openRowTransform(
  { script, lua, progress }: OpenTransform,
  { modelType }: Manifest,
): Promise<RowTransform> {
  // The log is written to stderr, too.
  const transform = await openTransform(script, {
    wasm: lua,
    print: console.error,
    interrupter: createInterrupter(),
  });
  return async (output, lengths, skips) => {
    const results: RowResult[] = [];
    for (const [row, length] of lengths.entries()) {
      await transform.ready();
      markRow(progress, row);
      try {
        const raw = { data: rowOf(output, row, length), shape: shapeOfRow(output, length) };
        const result = transformRow(transform, modelType, raw, skips?.[row]);
        checkFinite(result, script);
        results.push(result);
      } catch (error) {
        results.push({ failure: messageOf(error) });
      } finally {
        markRow(progress, NO_ROW);
      }
    }
    return results;
  };
}
