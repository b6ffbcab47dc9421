/**
 * Quotes a text as one shell word, for commands in messages that users can copy. Simple texts stay
 * unchanged.
 */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : singleQuoted(text);

export const singleQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
