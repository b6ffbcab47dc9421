import type { RowCells } from '../datasets/dataset.ts';
import type { WorkAhead } from './work.ts';

/** Number of rows started ahead per concurrent request, so that a slow row does not block the requests behind it. */
const ROWS_PER_REQUEST = 32;

/** Calls for batches, which can start before their turn. */
export interface CallsAhead<Result> {
  readonly ahead: WorkAhead;
  /** The result for rows that were started ahead, or of a call made now. */
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
        // An error is thrown when it is these rows' turn, and ignored if the job ends before.
        result.catch(() => undefined);
        started.set(rows, result);
      },
    },
    take: (rows, signal) => started.get(rows) ?? call(rows, signal),
  };
}
