import { lookup } from '#core/values/lookup.ts';
export type LineLevel = 'debug' | 'info' | 'warn' | 'error';

const LEVELS = lookup<LineLevel>({
  TRACE: 'debug',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'error',
  FATAL: 'error',
});

/**
 * Returns a log line's level. Many servers write `LEVEL:LOGGER:MESSAGE`, as Python does; other lines count as
 * `info`.
 */
export function levelOf(line: string): LineLevel {
  const [, level = ''] = /^([A-Za-z]{4,8}):[^:]*:/.exec(line) ?? [];
  return LEVELS[level.toUpperCase()] ?? 'info';
}
