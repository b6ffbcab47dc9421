import type { WorkerClient } from './client.ts';
import type { WorkerFailedRows, WorkerRange } from './protocol.ts';

interface FailedBatch extends WorkerFailedRows {
  readonly from: number;
}

/** The failed rows of a range in batches, during a retry. The last batch can be empty; it ends the retry of failed rows. */
export async function* failedBatches(
  client: Pick<WorkerClient, 'failedRows'>,
  { retry_row: first, next_row: to }: Pick<WorkerRange, 'retry_row' | 'next_row'>,
  batchSize: number,
): AsyncGenerator<FailedBatch, void> {
  for (let from = first; from !== null;) {
    const { numbers, rows, next } = await client.failedRows(from, to);
    for (let at = 0; at === 0 || at < rows.length; at += batchSize) {
      const isLast = at + batchSize >= rows.length;
      const after: number | null = isLast ? next : (numbers[at + batchSize] ?? null);
      const end = at + batchSize;
      yield { from, next: after, numbers: numbers.slice(at, end), rows: rows.slice(at, end) };
      from = after;
      if (from === null) return;
    }
  }
}
