import { AppError } from '#contract/errors.ts';

const REASON = 'access_refused';

/** The error for credentials that are missing, invalid or refused. Its message is for administrators and never contains a secret. */
export const accessRefused = (message: string, cause?: unknown): AppError =>
  new AppError('UpstreamError', message, { reason: REASON, cause });

export const isAccessRefused = (error: unknown): error is AppError =>
  error instanceof AppError && error.reason === REASON;
