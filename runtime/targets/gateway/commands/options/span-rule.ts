const MAX_DIGITS = 8;

/** Returns `rule` for an invalid duration, or the particular rule if only its number is too large. */
export const spanRule =
  (rule: string) =>
  (text: string): string => {
    const [, digits = ''] = /^(\d+)[smhdw]$/.exec(text.trim()) ?? [];
    return digits.length > MAX_DIGITS
      ? `a duration with a number of at most ${'9'.repeat(MAX_DIGITS)}`
      : rule;
  };
