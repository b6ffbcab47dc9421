/**
 * Describes a value in a message. `source` is the value's text in the file, which can be `1.0` for
 * the value 1.
 */
export function describe(value: unknown, source = ''): string {
  if (value === null || value === undefined) {
    return source === ''
      ? 'nothing'
      : `nothing (YAML reads a bare \`${source}\` as null; quote it to get a string)`;
  }
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'string') return JSON.stringify(shorten(value));
  return typeof value === 'number' ? `the number ${source || value}` : JSON.stringify(value);
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Formats a list of keys: `a`, `b` and `c`. */
export function listing(keys: readonly string[]): string {
  const names = keys.map((key) => keyName(key));
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Formats a key in backticks, on one line. */
export const keyName = (key: string): string => `\`${JSON.stringify(shorten(key)).slice(1, -1)}\``;

const shorten = (text: string): string => {
  const points = Array.from(text);
  return points.length > 60 ? `${points.slice(0, 57).join('')}...` : text;
};
