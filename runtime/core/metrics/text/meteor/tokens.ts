/** Letters with their marks, digits and connectors as `_` (https://unicode.org/reports/tr18/#word), or what stands between words. */
const WORDS =
  /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\p{White_Space}]+/gu;

/** Words and runs of punctuation, as NLTK's `wordpunct_tokenize` finds them: without a model, the same for every language with spaces. */
export const meteorTokens = (text: string): string[] =>
  text.match(WORDS)?.map((word) => word.toLowerCase()) ?? [];
