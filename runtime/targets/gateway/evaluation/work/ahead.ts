import type { RowCells } from '../datasets/dataset.ts';
import type { WorkAhead } from './work.ts';

/** Rows that are started ahead for each concurrent request, so that a slow row does not stop the requests behind it. */
const ROWS_PER_REQUEST = 32;

/** Calls for batches, which can be started before their turn. */
export interface CallsAhead<Result> {
  readonly ahead: WorkAhead;
  /** The result for rows that were started, or of a call that is made now. */
  take(rows: readonly RowCells[], signal: AbortSignal): Promise<Result>;
}

export function createCallsAhead<Result>(
  maxConcurrency: number,
  call: (rows: readonly RowCells[], signal: AbortSignal) => Promise<Result>,
): CallsAhead<Result> {
  const started = new WeakMap<readonly RowCells[], Promise<Result>>();
  return {
    ahead: {
      rows: ROWS_PER_REQUEST * maxConcurrency,
      start({ rows }, signal) {
        const result = call(rows, signal);
        // An error is thrown when it is the turn of these rows, and ignored if the job ends before.
        result.catch(() => undefined);
        started.set(rows, result);
      },
    },
    take: (rows, signal) => started.get(rows) ?? call(rows, signal),
  };
}
