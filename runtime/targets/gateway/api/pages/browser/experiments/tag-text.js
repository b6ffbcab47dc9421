/**
 * The tags in a text, separated by commas.
 * @param {string} text
 */
export const tagsIn = (text) => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];

/** The label of fields for tags. */
export const TAGS_LABEL = 'Tags, separated by commas';
