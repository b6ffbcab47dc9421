import type { ErrorCode } from '../../contract/errors.ts';

/** Exit codes: 0 done, 1 it failed, 2 the command line itself is wrong (see `UsageError`). */
export const EXIT_CODES: Record<ErrorCode, number> = { InputError: 1, ConfigError: 1, InternalError: 1 };
export const EXIT_USAGE = 2;
