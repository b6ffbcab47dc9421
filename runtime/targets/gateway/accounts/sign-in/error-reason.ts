import { AppError } from '#contract/errors.ts';

/** The reason of an error of this program; undefined for others. */
export const reasonIn = (error: unknown): string | undefined =>
  error instanceof AppError ? error.reason : undefined;
