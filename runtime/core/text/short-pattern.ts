/**
 * Maximum length of a text to search. It is enough for a line that a person writes, and even a
 * search in quadratic time takes a few milliseconds at most.
 */
const MAX_SEARCHED = 2000;

/** A regular expression that is only applied to short texts, because it can take more than linear time. */
export interface ShortPattern {
  /** Returns null if there is no match, or if the text is too long. */
  readonly exec: (text: string) => RegExpExecArray | null;
  readonly test: (text: string) => boolean;
  /** Replaces all matches. A text that is too long stays unchanged. */
  readonly replaceAll: (text: string, replacement: string) => string;
}

/**
 * Creates a ShortPattern. The linter only allows regular expressions that take more than linear
 * time as an argument to this function.
 */
export function shortPattern(expression: RegExp, maxLength = MAX_SEARCHED): ShortPattern {
  const isShort = (text: string): boolean => text.length <= maxLength;
  return {
    exec: (text) => (isShort(text) ? expression.exec(text) : null),
    test: (text) => isShort(text) && expression.test(text),
    replaceAll: (text, replacement) => (isShort(text) ? text.replaceAll(expression, replacement) : text),
  };
}
