/** A text as one word of a command that people may copy. */
export const shellWord = (text: string): string =>
  /^[\w@.:+/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
