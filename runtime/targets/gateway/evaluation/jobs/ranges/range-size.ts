import type { WorkSpec } from '../../work/work.ts';

/**
 * Maximum number of rows per range, unless a batch is larger. A job that gets more workers later must still
 * have rows for them.
 */
const MAX_RANGE_ROWS = 1000;
/**
 * Number of ranges per worker that the remaining rows are divided into. Ranges get shorter, so that all
 * workers finish at about the same time.
 */
const RANGES_PER_WORKER = 4;

interface Remaining {
  readonly spec: Pick<WorkSpec, 'type' | 'batchSize'>;
  /** Rows that are not in a range yet. */
  readonly rows: number;
  readonly workers: number;
}

/** Number of rows in the next range: whole batches, unless these are the last rows. */
export function rangeSize({ spec: { type, batchSize }, rows, workers }: Remaining): number {
  // The states of two metrics cannot be merged.
  if (type === 'evaluation') return rows;
  const share = Math.ceil(rows / (RANGES_PER_WORKER * Math.max(1, workers)));
  const batches = Math.ceil(Math.min(share, MAX_RANGE_ROWS) / batchSize);
  return Math.min(rows, batches * batchSize);
}

/** The number of workers for which the rows suffice, not counting existing ranges. */
export const possibleRanges = ({ spec: { type, batchSize }, rows }: Omit<Remaining, 'workers'>): number =>
  type === 'evaluation' ? Math.min(1, rows) : Math.ceil(rows / batchSize);
