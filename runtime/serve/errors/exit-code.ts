/** Exit codes: 0 success, 1 failure, 2 invalid command line (see `UsageError`). */
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
