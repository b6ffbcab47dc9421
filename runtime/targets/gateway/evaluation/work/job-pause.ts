import { AppError } from '#contract/errors.ts';

const REASON = 'job_paused';

/** An error that pauses a job instead of failing it or its rows, for example because a budget is exhausted. */
export const jobPause = (message: string, retryAfterSeconds: number | undefined, cause: unknown): AppError =>
  new AppError('OverloadedError', message, { reason: REASON, retryAfterSeconds, cause });

export const isJobPause = (error: unknown): error is AppError =>
  error instanceof AppError && error.reason === REASON;
