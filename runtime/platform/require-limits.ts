import { readFileSync } from 'node:fs';
import { configError } from '#contract/errors.ts';
import { limitsProblem, MIN_OPEN_FILES } from '#core/limits/resource-limits.ts';
import { errorCode } from '#core/values/error-code.ts';

/**
 * Throws if a resource limit is so low that native threads would end the process without a message.
 * With even lower limits, Node itself ends that way before this can run. Does nothing where the
 * system has no /proc.
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
    // No descriptor was left for reading the file.
    return errorCode(error) === 'EMFILE' ? `Max open files  ${MIN_OPEN_FILES - 1}` : '';
  }
}
