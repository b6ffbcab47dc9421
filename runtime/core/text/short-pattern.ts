/** Enough for a line that a person writes. Even a quadratic-time search then takes milliseconds at most. */
const MAX_SEARCHED = 2000;

/** A regular expression that can take more than linear time, so it is only applied to short texts. */
export interface ShortPattern {
  /** Null also for a text that is too long. */
  readonly exec: (text: string) => RegExpExecArray | null;
  readonly test: (text: string) => boolean;
  /** Replaces all matches. A text that is too long stays unchanged. */
  readonly replaceAll: (text: string, replacement: string) => string;
}

/**
 * The linter allows regular expressions that take more than linear time only as an argument of this
 * function.
 */
export function shortPattern(expression: RegExp, maxLength = MAX_SEARCHED): ShortPattern {
  const isShort = (text: string): boolean => text.length <= maxLength;
  return {
    exec: (text) => (isShort(text) ? expression.exec(text) : null),
    test: (text) => isShort(text) && expression.test(text),
    replaceAll: (text, replacement) => (isShort(text) ? text.replaceAll(expression, replacement) : text),
  };
}
