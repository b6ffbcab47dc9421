import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../serve/log.ts';
import type { LogLine, ServerLogs } from './api.ts';
import { type LineLevel, levelOf } from './log-level.ts';
import { LogRing } from './log-ring.ts';

/** The log of one server: kept for those who ask, and told to the manager's own log. */
export interface WritableServerLogs extends ServerLogs {
  /** A line of the server's stderr. */
  readonly fromServer: (line: string) => void;
  /** What the manager has to say about it. */
  readonly fromManager: (level: LineLevel, text: string) => void;
}

export function createServerLogs(
  name: string,
  { log, redact, clock }: { log: Logger; redact: (text: string) => string; clock: Clock },
): WritableServerLogs {
  const ring = new LogRing();
  const listeners = new Set<(line: LogLine) => void>();
  const add = (source: LogLine['source'], level: LineLevel, secret: string): void => {
    const text = redact(secret);
    const line = { at: clock.now(), source, text };
    ring.add(line);
    for (const listener of listeners) listener(line);
    log[level]({ server: name, source }, text);
  };
  return {
    last: (count) => ring.last(count),
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    fromServer: (line) => add('server', levelOf(line), line),
    fromManager: (level, text) => add('manager', level, text),
  };
}
