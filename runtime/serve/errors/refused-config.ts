import { AppError } from '#contract/errors.ts';

/**
 * Converts the error for a rejected configuration to an error for the author of the configuration.
 * The server keeps its previous configuration.
 */
export function rejectedConfigError(error: unknown): AppError {
  const known = AppError.from(error);
  if (known.code !== 'ConfigError') return known;
  return new AppError('InputError', known.message, { cause: error, details: known.details });
}
