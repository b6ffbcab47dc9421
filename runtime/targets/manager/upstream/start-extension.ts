import { processorWaitOf } from '#platform/process-tree/processor-wait.ts';
import { AppError, type ErrorCode } from '#contract/errors.ts';

/** Extends the startup timeout of a server on a busy machine. */
export interface StartExtension {
  /** Called when the timeout has expired. Returns how many more milliseconds the start can take; 0 ends it. */
  readonly extend: () => number;
  /** By how many milliseconds the timeout was extended. */
  readonly extendedMs: () => number;
}

/** Maximum time of a start, as a multiple of the startup timeout. */
const MAX_FACTOR = 4;
/** Shorter waits are normal, as a share of the startup timeout. */
const MIN_SHARE = 0.05;

/**
 * The startup timeout does not count the time in which the processes of the server were ready to run and others occupied the
 * processors: on a machine that starts many servers, or builds something, a server would be killed and restarted forever, although
 * nothing is wrong with it. A server that hangs does not wait for a processor.
 */
export function createStartExtension(
  pid: number | undefined,
  timeoutMs: number,
  waitOf: (pid: number) => number = processorWaitOf,
): StartExtension {
  let extended = 0;
  return {
    extendedMs: () => extended,
    extend() {
      if (pid === undefined || !Number.isFinite(timeoutMs)) return 0;
      const waited = Math.min(waitOf(pid), timeoutMs * (MAX_FACTOR - 1));
      const more = Math.floor(waited - extended);
      if (more < timeoutMs * MIN_SHARE) return 0;
      extended += more;
      return more;
    },
  };
}

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
