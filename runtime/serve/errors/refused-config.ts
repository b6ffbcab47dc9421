import { AppError } from '#contract/errors.ts';

/**
 * Converts the error of a rejected configuration to one for its author; the server keeps its
 * previous configuration.
 */
export function rejectedConfigError(error: unknown): AppError {
  const known = AppError.from(error);
  if (known.code !== 'ConfigError') return known;
  return new AppError('InputError', known.message, { cause: error, details: known.details });
}
