import { COMMON_FLAGS } from '#core/cli/common-flags.ts';

/** In a separate file, because help needs the names but not a logger. */
export const LOG_LEVELS = COMMON_FLAGS['log-level'].choices;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * The level that an option names; `info` if it is not set. The command line has already rejected
 * invalid values.
 */
export const logLevel = (word: string | undefined): LogLevel =>
  LOG_LEVELS.find((level) => level === word) ?? 'info';
