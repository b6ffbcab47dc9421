import type { ScriptLimits } from '#transform/tool-script/tool-script.ts';

/** The limits of scripts that users can change. */
export interface ScriptSettings {
  /** Maximum time of a script in milliseconds, without the time that it waits for a person. */
  readonly timeoutMs: number;
  /** Maximum number of calls of a script. */
  readonly calls: number;
  /** Maximum number of scripts that run concurrently. A key can use half of them. */
  readonly parallel: number;
}

export const SCRIPT_DEFAULTS: ScriptSettings = { timeoutMs: 60_000, calls: 100, parallel: 8 };

export const SCRIPT_CALLS_RANGE = { min: 1, max: 10_000 };
export const SCRIPT_PARALLEL_RANGE = { min: 1, max: 256 };

/** Maximum length of a script, in characters. */
export const MAX_SCRIPT_CHARACTERS = 65_536;
/** Maximum number of concurrent calls of a script. */
export const MAX_PARALLEL_CALLS = 8;
/** Maximum number of scripts that wait for others to end. */
export const MAX_WAITING = 64;
/** Maximum length of a result that a script receives, in characters of JSON. */
export const MAX_RESULT_CHARACTERS = 8 * 1_048_576;
/** Maximum length of the arguments of a call, and of the return value, in characters of JSON. */
const MAX_CHARACTERS = 1_048_576;

export const scriptLimits = ({ calls }: ScriptSettings): ScriptLimits => ({
  instructions: 50_000_000,
  memoryMb: 64,
  seconds: 10,
  calls,
  maxCharacters: MAX_CHARACTERS,
  maxResultCharacters: MAX_RESULT_CHARACTERS,
});
