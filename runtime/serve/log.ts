import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from './log-levels.ts';

export type { Logger } from 'pino';

/** Creates a logger. It writes JSON lines to stderr, because stdout is used for results and protocols. */
export function createLog(level: LogLevel, destination: DestinationStream): Logger {
  return pino({ level, base: null, timestamp: createTimestamp() }, destination);
}

/**
 * The JSON field with the time of a log line, in ISO 8601. The part up to the second is cached,
 * because formatting it costs more than formatting the rest of the line.
 */
function createTimestamp(): () => string {
  let second = NaN;
  let start = '';
  return () => {
    const now = Date.now();
    const current = Math.floor(now / 1000);
    if (current !== second) {
      second = current;
      start = `,"time":"${new Date(current * 1000).toISOString().slice(0, -4)}`;
    }
    return `${start}${String(now - current * 1000).padStart(3, '0')}Z"`;
  };
}
