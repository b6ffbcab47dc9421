/**
 * Letters with their marks, digits and connectors such as `_` (https://unicode.org/reports/tr18/#word), or the text between
 * words.
 */
const WORDS =
  /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\p{White_Space}]+/gu;

/**
 * Words and runs of punctuation, like NLTK's `wordpunct_tokenize`: without a model, identical for all languages with spaces.
 */
export const meteorTokens = (text: string): string[] =>
  text.match(WORDS)?.map((word) => word.toLowerCase()) ?? [];
