import { durationText } from '#core/time/duration.ts';
import type { Invocation } from '../cli/command.ts';
import { commonOptions } from '../cli/common-options.ts';
import { durationOption, wholeNumberOption } from '../cli/values.ts';
import type { KernelLimits } from '../kernel.ts';

/** Process-wide limits of a server. All programs have these options. */
export interface ProcessSettings extends KernelLimits {
  /**
   * Time in milliseconds that the event loop must be blocked before the watchdog terminates the
   * process; 0 disables the watchdog.
   */
  readonly watchdogMs: number;
}

export const DEFAULT_WATCHDOG_MS = 30_000;
export const DEFAULT_REQUEST_MEMORY = "a quarter of the heap limit or of the container's memory";
export const REQUEST_MEMORY_LIMITS = { min: 1, max: Number.MAX_SAFE_INTEGER };

export const PROCESS_OPTIONS = commonOptions({
  'max-request-memory': { defaultText: DEFAULT_REQUEST_MEMORY },
  'watchdog-timeout': { defaultText: durationText(DEFAULT_WATCHDOG_MS) },
});

export const readProcessSettings = (invocation: Invocation): ProcessSettings => ({
  maxRequestMemory: wholeNumberOption(invocation, 'max-request-memory', REQUEST_MEMORY_LIMITS),
  watchdogMs: durationOption(invocation, 'watchdog-timeout', { zero: true }) ?? DEFAULT_WATCHDOG_MS,
});

/**
 * The version of the running program. When an executable is built, this variable is replaced with
 * the version.
 */
export const programVersion = (): string => process.env['ENCODERFILE_VERSION'] ?? 'from source';
