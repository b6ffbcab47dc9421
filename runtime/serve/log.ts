import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from './log-levels.ts';

export type { Logger } from 'pino';

/** Creates a logger. Logs are JSON lines on stderr; stdout is for results and protocols. */
export function createLog(level: LogLevel, destination: DestinationStream): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
