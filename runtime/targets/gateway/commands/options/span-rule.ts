const MOST_DIGITS = 8;

/** The rule for a text that is no span of time: the one given, but for spans with too great a number. */
export const spanRule =
  (rule: string) =>
  (text: string): string => {
    const [, digits = ''] = /^(\d+)[smhdw]$/.exec(text.trim()) ?? [];
    return digits.length > MOST_DIGITS ? `a time whose number is ${'9'.repeat(MOST_DIGITS)} at most` : rule;
  };
