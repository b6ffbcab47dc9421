/** Enough for a line that a person writes. A search in quadratic time takes at most milliseconds. */
const MAX_SEARCHED = 2000;

/** A regular expression that can take more than linear time, and is searched in short texts only. */
export interface ShortPattern {
  /** Null also for a text that is too long. */
  readonly exec: (text: string) => RegExpExecArray | null;
  readonly test: (text: string) => boolean;
  /** Replaces all matches. A text that is too long stays as it is. */
  readonly replaceAll: (text: string, replacement: string) => string;
}

/** The linter allows a regular expression that takes more than linear time only as argument of this function. */
export function shortPattern(expression: RegExp, maxLength = MAX_SEARCHED): ShortPattern {
  const isShort = (text: string): boolean => text.length <= maxLength;
  return {
    exec: (text) => (isShort(text) ? expression.exec(text) : null),
    test: (text) => isShort(text) && expression.test(text),
    replaceAll: (text, replacement) => (isShort(text) ? text.replaceAll(expression, replacement) : text),
  };
}
