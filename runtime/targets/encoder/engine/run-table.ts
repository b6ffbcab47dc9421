import type { Manifest } from '#contract/manifest.ts';
import { openTokenTable, tableShape } from '#core/model/token-table.ts';
import type { TableBody } from '../model.ts';
import type { RunBatchOnce } from './run-graph.ts';

/** Runs batches of a static model: each text's vector is the mean of its tokens' rows in the table. */
export function tableRunner({ bytes }: TableBody, manifest: Manifest): RunBatchOnce {
  const shape = tableShape(manifest);
  if (!shape) throw new Error('the model has no table');
  const meanOf = openTokenTable(shape, bytes);
  return ({ ids, lengths, columns }) => {
    const data = new Float32Array(lengths.length * shape.width);
    for (const [row, length] of lengths.entries()) {
      const start = row * columns;
      data.set(meanOf(ids.subarray(start, start + length)), row * shape.width);
    }
    return { data, dims: [lengths.length, shape.width] };
  };
}
