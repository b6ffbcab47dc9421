/** Exit codes: 0 done, 1 it failed, 2 the command line itself is wrong (see `UsageError`). */
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
