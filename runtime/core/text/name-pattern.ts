/**
 * Whether a name matches one of the patterns, ignoring case. `*` in a pattern matches any text,
 * including none.
 */
export function matchesAny(patterns: readonly string[], name: string): boolean {
  if (patterns.length === 0) return false;
  const lower = name.toLowerCase();
  return patterns.some((pattern) => pattern === '*' || matches(pattern.toLowerCase(), lower));
}

/**
 * Whether a text matches one of the patterns, with the same letter case. Use it where another case can be
 * another thing, such as the branch `MAIN`.
 */
export const matchesExactly = (patterns: readonly string[], text: string): boolean =>
  patterns.some((pattern) => matches(pattern, text));

/**
 * Does not use a regular expression, because a crafted name could make it run almost endlessly if
 * the pattern has many `*`.
 */
function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first) || name.length < first.length + last.length) return false;
  let from = first.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}
