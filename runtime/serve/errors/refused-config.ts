import { AppError } from '../../contract/errors.ts';

/** Why a configuration was not taken: for whoever wrote it to mend, while the server works as it did. */
export function refusedConfig(error: unknown): AppError {
  const known = AppError.from(error);
  if (known.code !== 'ConfigError') return known;
  return new AppError('InputError', known.message, { cause: error, details: known.details });
}
