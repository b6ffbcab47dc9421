/** Whether a name, compared without case, fits one of the patterns; `*` in a pattern stands for any characters, also none. */
export function matchesAny(patterns: readonly string[], name: string): boolean {
  if (patterns.length === 0) return false;
  const lower = name.toLowerCase();
  return patterns.some((pattern) => pattern === '*' || matches(pattern.toLowerCase(), lower));
}

/** Not by a regular expression: many `*` in a pattern would make those take forever on names made for it. */
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
