const MAX_LENGTH = 256;

/** Makes a text of a downloaded file safe for tables and terminals: one line, without control characters, of limited length. */
export function shortText(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH - 1).toWellFormed()}…`;
}
