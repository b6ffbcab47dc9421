const MAX_CHARACTERS = 240;

/**
 * The beginning of a text of a server, for a cell of a table.
 * @param {string} text
 */
export const shortened = (text) =>
  text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
