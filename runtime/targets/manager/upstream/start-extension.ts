import { processorWaitOf } from '#platform/process-tree/processor-wait.ts';
import { AppError, type ErrorCode } from '#contract/errors.ts';

/** Extends a server's startup timeout on a busy machine. */
export interface StartExtension {
  /**
   * Called when the timeout has expired. Returns the number of milliseconds by which to extend it; with 0,
   * the start fails.
   */
  readonly extend: () => number;
  /** Total number of milliseconds by which the timeout was extended. */
  readonly extendedMs: () => number;
}

/** Maximum start duration, as a multiple of the startup timeout. */
const MAX_FACTOR = 4;
/** Shorter waits are normal; a fraction of the startup timeout. */
const MIN_SHARE = 0.05;

/**
 * The startup timeout excludes time when the server's processes were runnable but the CPUs were busy with
 * others: on a machine that is starting many servers or running a build, healthy servers would otherwise be
 * killed and restarted forever. A server that hangs is not waiting for a CPU.
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

/** Process output that explains a failure, as the cause of an error. */
class ProcessOutput extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[], cause?: unknown) {
    super('The process output contains the reason.', { cause });
    this.lines = lines;
  }
}

/** An error about a server that did not start, with the output that explains it. */
export const startFailure = (
  code: ErrorCode,
  message: string,
  lines: readonly string[],
  cause?: unknown,
): AppError => new AppError(code, message, { cause: new ProcessOutput(lines, cause) });

/** Returns the output that explains an error; empty if there is none. */
export function outputOf(error: unknown): readonly string[] {
  if (error instanceof ProcessOutput) return error.lines;
  return error instanceof Error && error.cause !== undefined ? outputOf(error.cause) : [];
}
