import type { AppError } from '#contract/errors.ts';

/**
 * The outcome of a request. `cancelled`: its client disconnected, which is not a failure of a model or of the gateway. `interrupted`: the
 * gateway was killed before the end.
 */
export const USAGE_STATUSES = ['success', 'error', 'cancelled', 'interrupted'] as const;
export type UsageStatus = (typeof USAGE_STATUSES)[number];

/** Values of filters by outcome. */
export const STATUS_FILTERS = ['any', ...USAGE_STATUSES] as const;

/** The status of a row of the database. */
export const usageStatusOf = (text: string): UsageStatus =>
  USAGE_STATUSES.find((status) => status === text) ?? 'success';

/** Whether a row counts as a failure in rates of errors. */
export const isFailedStatus = (status: string): boolean => status === 'error' || status === 'interrupted';

/** The status of a request that ends with this error; undefined for an answer. */
export const statusOf = (error: AppError | undefined): UsageStatus =>
  error === undefined ? 'success' : error.code === 'CancelledError' ? 'cancelled' : 'error';
