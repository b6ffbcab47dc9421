import { stem } from '../porter/stem.ts';

/** Words of a text as ROUGE compares them. Letters other than a to z separate words, so texts in other scripts have none. */
export function rougeTokens(text: string, useStemmer: boolean): string[] {
  const words = text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return useStemmer ? words.map((word) => (word.length > 3 ? stem(word) : word)) : words;
}
