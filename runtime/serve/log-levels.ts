import { COMMON_FLAGS } from '#core/cli/common-flags.ts';

/** In a separate file, because help needs the names but not a logger. */
export const LOG_LEVELS = COMMON_FLAGS['log-level'].choices;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Returns the level that an option specifies; `info` if the option is not set. Invalid values have
 * already been rejected by the command-line parser.
 */
export const logLevel = (word: string | undefined): LogLevel =>
  LOG_LEVELS.find((level) => level === word) ?? 'info';
