/**
 * A list of names or patterns as text.
 * @param {readonly string[] | undefined} list
 * @param {string} [none]
 */
export const listText = (list, none = '–') => (list && list.length > 0 ? list.join(', ') : none);
