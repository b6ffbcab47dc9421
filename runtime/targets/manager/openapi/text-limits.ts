/** Maximum length of a tool's description, which is the maximum of several model providers. */
export const MAX_DESCRIPTION = 1024;
/** Maximum length of an argument's description. */
export const MAX_DETAIL = 500;

/** Returns a text on one line, or with its line breaks, truncated at a word. */
export function shortened(text: string, maxLength: number): string {
  const trimmed = text.slice(0, 4 * maxLength).trim();
  if (trimmed.length <= maxLength) return trimmed;
  const cut = trimmed.slice(0, maxLength - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > maxLength / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
