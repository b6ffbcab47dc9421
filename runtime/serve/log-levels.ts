import { COMMON_FLAGS } from '../core/common-flags.ts';

/** In a file of their own: a program's help names them, and needs no logger for that. */
export const LOG_LEVELS = COMMON_FLAGS['log-level'].choices;
export type LogLevel = (typeof LOG_LEVELS)[number];
