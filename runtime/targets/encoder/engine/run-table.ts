import type { Manifest } from '#contract/manifest.ts';
import { openTokenTable, tableShape } from '#core/model/token-table.ts';
import { openTableFile } from '#platform/table-file.ts';
import type { TableBody } from '../model.ts';
import type { RunBatchOnce } from './run-graph.ts';

interface TableRunner {
  readonly run: RunBatchOnce;
  readonly close: () => void;
}

/** Runs batches of a static model: each text's vector is the mean of its tokens' rows in the table. */
export function tableRunner(body: TableBody, manifest: Manifest): TableRunner {
  const shape = tableShape(manifest);
  if (!shape) throw new Error('the model has no table');
  const { close, ...parts } = openTableFile(shape, body);
  const meanOf = openTokenTable(shape, parts);
  return {
    close,
    run({ ids, lengths, columns }) {
      const data = new Float32Array(lengths.length * shape.width);
      for (const [row, length] of lengths.entries()) {
        const start = row * columns;
        data.set(meanOf(ids.subarray(start, start + length)), row * shape.width);
      }
      return { data, dims: [lengths.length, shape.width] };
    },
  };
}
