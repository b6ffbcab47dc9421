import { AppError, type ErrorCode } from '#contract/errors.ts';

/** The lines of a process that explain why it failed, as the cause of an error. */
class ProcessOutput extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[], cause?: unknown) {
    super('The process wrote the reason.', { cause });
    this.lines = lines;
  }
}

/** An error about a server that did not start, with the lines that explain it. */
export const startFailure = (
  code: ErrorCode,
  message: string,
  lines: readonly string[],
  cause?: unknown,
): AppError => new AppError(code, message, { cause: new ProcessOutput(lines, cause) });

/** Returns the lines that explain an error; empty if there are none. */
export function outputOf(error: unknown): readonly string[] {
  if (error instanceof ProcessOutput) return error.lines;
  return error instanceof Error && error.cause !== undefined ? outputOf(error.cause) : [];
}
