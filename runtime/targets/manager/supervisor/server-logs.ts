import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { LogLine, ServerLogs } from './managed-server.ts';
import { type LineLevel, levelOf } from './log-level.ts';
import { createLogLimit, LOG_LIMIT_RULE } from './log-limit.ts';
import { LogRing } from './log-ring.ts';

/** One server's log. It keeps the last lines, and writes lines to the manager's log within a limit. */
export interface WritableServerLogs extends ServerLogs {
  /** Adds a line from the server's stderr. */
  readonly fromServer: (line: string) => void;
  /** Adds a manager message. */
  readonly fromManager: (level: LineLevel, text: string) => void;
  /** Returns the log for a user's process: the lines belong to the same log, and name the user. */
  readonly forUser: (user: string) => WritableServerLogs;
  /** Reports dropped lines when the log ends. */
  readonly close: () => void;
}

export function createServerLogs(
  name: string,
  { log, redact, clock }: { log: Logger; redact: (text: string, server: string) => string; clock: Clock },
): WritableServerLogs {
  /** Unredacted lines: a server can write faster than lines can be redacted, so they are redacted when read. */
  const ring = new LogRing();
  const listeners = new Set<(line: LogLine) => void>();
  const limit = createLogLimit(clock, (dropped) =>
    log.warn(
      { server: name, source: 'manager', dropped },
      `${dropped} lines from the server were dropped from this log: the limit is ${LOG_LIMIT_RULE}`,
    ),
  );
  const redacted = (line: LogLine): LogLine => ({ ...line, text: redact(line.text, name) });
  const add = (source: LogLine['source'], level: LineLevel, text: string, user?: string): void => {
    const raw: LogLine = { at: clock.now(), source, text, ...(user !== undefined && { user }) };
    ring.add(raw);
    const isLogged = source === 'manager' || limit.admits(text);
    if (!isLogged && listeners.size === 0) return;
    const line = redacted(raw);
    for (const listener of listeners) listener(line);
    if (isLogged) log[level]({ server: name, source, ...(user !== undefined && { user }) }, line.text);
  };
  const logs: WritableServerLogs = {
    last: (count) => ring.last(count).map(redacted),
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    fromServer: (line) => add('server', levelOf(line), line),
    fromManager: (level, text) => add('manager', level, text),
    forUser: (user) => ({
      ...logs,
      fromServer: (line) => add('server', levelOf(line), line, user),
      fromManager: (level, text) => add('manager', level, text, user),
    }),
    close: limit.flush,
  };
  return logs;
}
