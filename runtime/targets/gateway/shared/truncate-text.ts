/** Truncates a string to a maximum length without splitting a surrogate pair. */
export const truncateWellFormed = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
