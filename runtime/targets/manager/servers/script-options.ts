import { durationText } from '#core/time/duration.ts';
import type { Invocation } from '#serve/cli/command.ts';
import { durationOption, requiredNumber } from '#serve/cli/values.ts';
import {
  SCRIPT_CALLS_RANGE,
  SCRIPT_DEFAULTS,
  SCRIPT_PARALLEL_RANGE,
  type ScriptSettings,
} from '../scripts/limits.ts';

/** The flags for scripts in code mode. */
export const SCRIPT_OPTIONS = {
  'script-timeout': {
    value: 'time',
    help: 'Timeout of a script in code mode, excluding the time that it waits for a person',
    defaultText: durationText(SCRIPT_DEFAULTS.timeoutMs),
  },
  'script-calls': {
    value: 'number',
    help: 'Maximum number of tool calls of a script in code mode',
    fallback: String(SCRIPT_DEFAULTS.calls),
  },
  'max-scripts': {
    value: 'number',
    help: 'Maximum number of scripts that run concurrently in code mode; a key can use half of them',
    fallback: String(SCRIPT_DEFAULTS.parallel),
  },
} as const;

export const readScriptSettings = (invocation: Invocation): ScriptSettings => ({
  timeoutMs: durationOption(invocation, 'script-timeout') ?? SCRIPT_DEFAULTS.timeoutMs,
  calls: requiredNumber(invocation, 'script-calls', SCRIPT_CALLS_RANGE),
  parallel: requiredNumber(invocation, 'max-scripts', SCRIPT_PARALLEL_RANGE),
});
