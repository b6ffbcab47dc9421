import type { Clock } from '../../../platform/clock.ts';

const WINDOW_MS = 10_000;
const MAX_LINES = 1000;
const MAX_CHARACTERS = 262_144;

/** What these limits are called in the log. */
export const LOG_LIMIT_RULE = `at most ${MAX_LINES} lines and ${MAX_CHARACTERS / 1024} KiB in ${WINDOW_MS / 1000} s`;

/** Decides which lines of one server the log of the manager gets, so that a server cannot fill the disk. */
export interface LogLimit {
  readonly admits: (line: string) => boolean;
  /** Reports now what was dropped, if anything was. */
  readonly flush: () => void;
}

/** `report` gets the number of lines that were dropped, at most once in each window. */
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
