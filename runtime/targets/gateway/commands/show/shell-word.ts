/** Quotes a text as one shell word, for commands in messages that users can copy. */
export const shellWord = (text: string): string =>
  /^[\w@.:+/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
