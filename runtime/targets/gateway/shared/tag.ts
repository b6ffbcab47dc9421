/** Maximum number of tags of a request. */
export const MAX_TAGS = 10;

/** What a tag must be. Commas separate tags, and a tag is written between quotation marks in the database. */
export const TAG_RULE =
  '1 to 64 letters, digits, spaces and any of . _ : / @ + = # -, beginning with a letter, a digit or _';

export const isTag = (text: string): boolean => /^[\p{L}\p{N}_][\p{L}\p{N}_ .:/@+=#-]{0,63}$/u.test(text);
