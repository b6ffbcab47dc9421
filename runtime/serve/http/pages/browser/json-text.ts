/** Formats JSON for people: each item is on its own line, except that a list of numbers is on one line. */
export function jsonText(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== 'object')) {
      return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
    }
    return block(
      '[',
      value.map((item) => jsonText(item, deeper)),
      ']',
      indent,
    );
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  return block(
    '{',
    entries.map(([key, item]) => `${JSON.stringify(key)}: ${jsonText(item, deeper)}`),
    '}',
    indent,
  );
}

const block = (open: string, lines: readonly string[], close: string, indent: string) =>
  `${open}\n${lines.map((line) => `${indent}  ${line}`).join(',\n')}\n${indent}${close}`;
