import { COMMON_FLAGS } from '#core/cli/common-flags.ts';

/** A separate file, because help needs the names but not a logger. */
export const LOG_LEVELS = COMMON_FLAGS['log-level'].choices;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The level that an option names. The command line has rejected other words already; without one, it is `info`. */
export const logLevel = (word: string | undefined): LogLevel =>
  LOG_LEVELS.find((level) => level === word) ?? 'info';
