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

/** Many servers log as `LEVEL:LOGGER:MESSAGE`, the way Python does; whatever else they write is of no known importance. */
export function levelOf(line: string): LineLevel {
  const [, level = ''] = /^([A-Za-z]{4,8}):[^:]*:/.exec(line) ?? [];
  return LEVELS[level.toUpperCase()] ?? 'info';
}
