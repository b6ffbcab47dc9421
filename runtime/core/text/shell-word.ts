/**
 * Quotes a string as one shell word, for commands that users can copy from messages. Simple words
 * stay unchanged.
 */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : singleQuoted(text);

export const singleQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
