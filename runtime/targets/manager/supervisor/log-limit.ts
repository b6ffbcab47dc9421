import type { Clock } from '#platform/clock.ts';

const WINDOW_MS = 10_000;
const MAX_LINES = 1000;
const MAX_CHARACTERS = 262_144;

/** The limits as text for log messages. */
export const LOG_LIMIT_RULE = `${MAX_LINES} lines and ${MAX_CHARACTERS / 1024} KiB per ${WINDOW_MS / 1000} s`;

/** Limits one server's lines in the manager's log, so that a server cannot fill the disk. */
export interface LogLimit {
  readonly admits: (line: string) => boolean;
  /** Immediately reports dropped lines, if any. */
  readonly flush: () => void;
}

/** Creates a limit. `report` receives the number of dropped lines, at most once per window. */
export function createLogLimit(clock: Clock, report: (dropped: number) => void): LogLimit {
  let windowEnd = -Infinity;
  let lines = 0;
  let characters = 0;
  let dropped = 0;
  let cancelReport = (): void => undefined;

  const flush = (): void => {
    cancelReport();
    if (dropped > 0) report(dropped);
    dropped = 0;
  };
  return {
    flush,
    admits({ length }) {
      const now = clock.now();
      if (now >= windowEnd) {
        flush();
        windowEnd = now + WINDOW_MS;
        lines = 0;
        characters = 0;
      }
      lines += 1;
      characters += length;
      if (lines <= MAX_LINES && characters <= MAX_CHARACTERS) return true;
      if (dropped === 0) cancelReport = clock.after(windowEnd - now, flush);
      dropped += 1;
      return false;
    },
  };
}
