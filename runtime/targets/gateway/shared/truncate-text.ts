/** Cuts a text to a maximum length, without half of a surrogate pair at its end. */
export const truncateWellFormed = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
