/** Maximum number of tags per request. */
export const MAX_TAGS = 10;

/** The rule for tags. Commas separate tags, and the database stores tags between quotation marks. */
export const TAG_RULE =
  '1 to 64 letters, digits, spaces and any of . _ : / @ + = # -, beginning with a letter, a digit or _';

export const isTag = (text: string): boolean => /^[\p{L}\p{N}_][\p{L}\p{N}_ .:/@+=#-]{0,63}$/u.test(text);
