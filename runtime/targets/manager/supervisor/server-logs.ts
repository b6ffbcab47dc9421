import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { LogLine, ServerLogs } from './managed-server.ts';
import { LogRing } from './log-ring.ts';

/** The log of one server. It keeps the last lines, and writes lines to the manager's log within its limit. */
export interface WritableServerLogs extends ServerLogs {
  /** Adds a line of the server's stderr. */
  readonly fromServer: (line: string) => void;
  /** Adds a message of the manager. */
  readonly fromManager: (level: LineLevel, text: string) => void;
  /** Reports dropped lines when the log ends. */
  readonly close: () => void;
}

export function createServerLogs(
  name: string,
  { log, redact, clock }: { log: Logger; redact: (text: string, server: string) => string; clock: Clock },
): WritableServerLogs {
  /** Unredacted lines: a server can write faster than they can be redacted, so that is done when they are read. */
  const ring = new LogRing();
  const listeners = new Set<(line: LogLine) => void>();
  const limit = createLogLimit(clock, (dropped) =>
    log.warn(
      { server: name, source: 'manager', dropped },
      `${dropped} lines of the server were dropped from this log: the limit is ${LOG_LIMIT_RULE}`,
    ),
  );
  const redacted = (line: LogLine): LogLine => ({ ...line, text: redact(line.text, name) });
  const add = (source: LogLine['source'], level: LineLevel, text: string): void => {
    const raw: LogLine = { at: clock.now(), source, text };
    ring.add(raw);
    const isLogged = source === 'manager' || limit.admits(text);
    if (!isLogged && listeners.size === 0) return;
    const line = redacted(raw);
    for (const listener of listeners) listener(line);
    if (isLogged) log[level]({ server: name, source }, line.text);
  };
  return {
    last: (count) => ring.last(count).map(redacted),
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    fromServer: (line) => add('server', levelOf(line), line),
    fromManager: (level, text) => add('manager', level, text),
    close: limit.flush,
  };
}

export type LineLevel = 'debug' | 'info' | 'warn' | 'error';

const LEVELS: Readonly<Record<string, LineLevel>> = {
  TRACE: 'debug',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'error',
  FATAL: 'error',
};

/** Returns the level of a log line. Many servers write `LEVEL:LOGGER:MESSAGE`, as Python does; other lines count as `info`. */
export function levelOf(line: string): LineLevel {
  const [, level = ''] = /^([A-Za-z]{4,8}):[^:]*:/.exec(line) ?? [];
  return LEVELS[level.toUpperCase()] ?? 'info';
}

const WINDOW_MS = 10_000;
const MAX_LINES = 1000;
const MAX_CHARACTERS = 262_144;

/** The limits as text for log messages. */
const LOG_LIMIT_RULE = `${MAX_LINES} lines and ${MAX_CHARACTERS / 1024} KiB per ${WINDOW_MS / 1000} s`;

/** Limits the lines of one server in the manager's log, so that a server cannot fill the disk. */
interface LogLimit {
  readonly admits: (line: string) => boolean;
  /** Reports dropped lines immediately, if there are any. */
  readonly flush: () => void;
}

/** Creates a limit. `report` gets the number of dropped lines, at most once per window. */
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
