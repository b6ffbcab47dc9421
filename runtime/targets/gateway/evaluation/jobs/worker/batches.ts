import { type AppError, inputError } from '#contract/errors.ts';
import type { Row, RowChunk } from '../../datasets/dataset.ts';
import type { WorkerClient } from './client.ts';
import type { WorkerRange } from './protocol.ts';
import { pushAll } from '#core/values/push-all.ts';

type Position = Pick<WorkerRange, 'first_row' | 'row_count' | 'next_row'>;

/** The remaining rows of a range in batches. The next rows are fetched while a batch is processed. */
export async function* batches(
  client: Pick<WorkerClient, 'rows'>,
  position: Position,
  size: number,
): AsyncGenerator<RowChunk, void> {
  let firstRow = position.next_row;
  let waiting: Row[] = [];
  for await (const rows of fetched(client, position)) {
    pushAll(waiting, rows);
    let used = 0;
    for (; waiting.length - used >= size; used += size) {
      yield { firstRow, rows: waiting.slice(used, used + size) };
      firstRow += size;
    }
    waiting = waiting.slice(used);
  }
  if (waiting.length > 0) yield { firstRow, rows: waiting };
}

/** The remaining rows in chunks whose size the gateway decides. */
async function* fetched(
  client: Pick<WorkerClient, 'rows'>,
  { first_row: first, row_count: count, next_row: from }: Position,
): AsyncGenerator<readonly Row[], void> {
  const end = first + count;
  const fetchAt = async (row: number): Promise<readonly Row[]> =>
    row < end ? (await client.rows(row, end)).rows : [];
  let next = fetchAt(from);
  for (let row = from; row < end;) {
    const rows = await next;
    if (rows.length === 0) throw endsEarly(row);
    row += rows.length;
    next = fetchAt(row);
    // A failure is thrown when the rows are awaited, and ignored if the consumer stops before.
    next.catch(() => undefined);
    yield rows;
  }
}

const endsEarly = (found: number): AppError =>
  inputError(
    `The dataset has only ${found} rows, fewer than the job. It was changed or deleted while the job was running.`,
  );
