import { readFileSync } from 'node:fs';
import { configError } from '#contract/errors.ts';
import { limitsProblem, MIN_OPEN_FILES } from '#core/limits/resource-limits.ts';
import { errorCode } from '#core/values/error-code.ts';

/**
 * Refuses to start with limits on resources under which native threads end the process without a message. Node itself ends that
 * way if they are even lower, before this can run. Does nothing where the system has no /proc.
 */
export function requireLimits(): void {
  const problem = limitsProblem(readLimits(), process.getuid?.());
  if (problem !== undefined) throw configError(problem);
}

/** The limits of this process in the format of /proc/self/limits; empty where the system has no /proc. */
export function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch (error) {
    // No descriptor was left for the file itself.
    return errorCode(error) === 'EMFILE' ? `Max open files  ${MIN_OPEN_FILES - 1}` : '';
  }
}
