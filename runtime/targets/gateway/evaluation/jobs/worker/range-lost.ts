import { AppError } from '#contract/errors.ts';

/** Whether a worker has lost its rows to another one, but not the job. */
export const isRangeLost = (error: unknown): boolean =>
  error instanceof AppError && error.reason === 'range_lost';
