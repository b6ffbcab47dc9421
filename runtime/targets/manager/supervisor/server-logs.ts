import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../serve/log.ts';
import type { LogLine, ServerLogs } from './managed-server.ts';
import { type LineLevel, levelOf } from './log-level.ts';
import { createLogLimit, LOG_LIMIT_RULE } from './log-limit.ts';
import { LogRing } from './log-ring.ts';

/** The log of one server: its last lines are kept, and lines go to the manager's own log, as many as its limit allows. */
export interface WritableServerLogs extends ServerLogs {
  /** A line of the server's stderr. */
  readonly fromServer: (line: string) => void;
  /** What the manager has to say about it. */
  readonly fromManager: (level: LineLevel, text: string) => void;
  /** Nothing more will come. */
  readonly close: () => void;
}

export function createServerLogs(
  name: string,
  { log, redact, clock }: { log: Logger; redact: (text: string, server: string) => string; clock: Clock },
): WritableServerLogs {
  /** Lines as they came: a server can write faster than secrets can be taken out. */
  const ring = new LogRing();
  const listeners = new Set<(line: LogLine) => void>();
  const limit = createLogLimit(clock, (dropped) =>
    log.warn(
      { server: name, source: 'manager', dropped },
      `${dropped} lines of the server are not in this log: ${LOG_LIMIT_RULE}`,
    ),
  );
  const withoutSecrets = (line: LogLine): LogLine => ({ ...line, text: redact(line.text, name) });
  const add = (source: LogLine['source'], level: LineLevel, text: string): void => {
    const raw: LogLine = { at: clock.now(), source, text };
    ring.add(raw);
    const isLogged = source === 'manager' || limit.admits(text);
    if (!isLogged && listeners.size === 0) return;
    const line = withoutSecrets(raw);
    for (const listener of listeners) listener(line);
    if (isLogged) log[level]({ server: name, source }, line.text);
  };
  return {
    last: (count) => ring.last(count).map(withoutSecrets),
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    fromServer: (line) => add('server', levelOf(line), line),
    fromManager: (level, text) => add('manager', level, text),
    close: limit.flush,
  };
}
