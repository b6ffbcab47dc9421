import { messageOf } from '#contract/errors.ts';
import { compileLinearPattern, type LinearPattern } from '#platform/linear-pattern.ts';
import type { PatternEntry } from '../schemas/prompt-log.ts';
import type { Path, ResolveContext } from './context.ts';

/** Compiles a pattern in the file; undefined if invalid, which is reported. */
export function patternIn(
  { report }: ResolveContext,
  path: Path,
  entry: PatternEntry,
): LinearPattern | undefined {
  const { pattern, ignore_case: ignoreCase } = typeof entry === 'string' ? { pattern: entry } : { ...entry };
  try {
    return compileLinearPattern(pattern, { ignoreCase });
  } catch (error) {
    report(path, `the pattern ${JSON.stringify(pattern)} is invalid: ${messageOf(error).replace(/\.$/, '')}`);
    return undefined;
  }
}
