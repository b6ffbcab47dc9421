import { type AppError, inputError } from '../../../../../contract/errors.ts';
import type { Row, RowChunk } from '../../datasets/dataset.ts';
import type { WorkerClient } from './client.ts';
import type { WorkerJob } from './protocol.ts';

type Place = Pick<WorkerJob, 'done_rows' | 'total_rows'>;

/** The rows that are left, so many at a time; the next ones are fetched while these are worked on. */
export async function* batches(
  client: Pick<WorkerClient, 'rows'>,
  place: Place,
  size: number,
): AsyncGenerator<RowChunk, void> {
  let firstRow = place.done_rows;
  let waiting: Row[] = [];
  for await (const rows of fetched(client, place)) {
    waiting.push(...rows);
    let used = 0;
    for (; waiting.length - used >= size; used += size) {
      yield { firstRow, rows: waiting.slice(used, used + size) };
      firstRow += size;
    }
    waiting = waiting.slice(used);
  }
  if (waiting.length > 0) yield { firstRow, rows: waiting };
}

/** As many at once as the gateway likes to send. */
async function* fetched(
  client: Pick<WorkerClient, 'rows'>,
  { done_rows: from, total_rows: total }: Place,
): AsyncGenerator<readonly Row[], void> {
  const fetchAt = async (row: number): Promise<readonly Row[]> =>
    row < total ? (await client.rows(row)).rows : [];
  let next = fetchAt(from);
  for (let row = from; row < total;) {
    const rows = await next;
    if (rows.length === 0) throw endsEarly(row, total);
    row += rows.length;
    next = fetchAt(row);
    // Whoever stops before they are needed does not hear that they could not be fetched.
    next.catch(() => undefined);
    yield rows;
  }
}

const endsEarly = (found: number, expected: number): AppError =>
  inputError(
    `The dataset ends after ${found} rows, though the job has ${expected}; it was changed or deleted.`,
  );
