/**
 * The labels of the box, which are separated by commas.
 * @param {string} text
 */
export const labelsIn = (text) =>
  text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');
