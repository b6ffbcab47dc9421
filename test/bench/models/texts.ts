import { seededNormal, seededRandom } from './seeded.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Text lengths in words and punctuation marks: lognormal, as in real text collections. */
export const TEXT_LENGTHS = { mean: 42, sigma: 0.8, shortest: 3, longest: 256 } as const;
/** Tokens that the tokenizer adds: a text of maximum length still fits. */
const SPECIALS_PER_TEXT = 2;

export function makeTexts(vocabulary: Vocabulary, count: number): string[] {
  const normal = seededNormal('text lengths');
  const random = seededRandom('texts');
  const { mean, sigma, shortest, longest } = TEXT_LENGTHS;
  const center = Math.log(mean) - sigma ** 2 / 2;
  return Array.from({ length: count }, () => {
    const wished = Math.round(Math.exp(center + sigma * normal()));
    const length = Math.min(Math.max(wished, shortest), longest) - SPECIALS_PER_TEXT;
    return makeText(vocabulary, Math.max(length, 1), random);
  });
}

/** Tokens of a short text, as in search queries, with little variation. */
export const SHORT_TEXTS = { shortest: 8, longest: 16 } as const;

export function makeShortTexts(vocabulary: Vocabulary, count: number): string[] {
  const random = seededRandom('short texts');
  const { shortest, longest } = SHORT_TEXTS;
  return Array.from({ length: count }, () => {
    const length = shortest + Math.floor(random() * (longest - shortest + 1));
    return makeText(vocabulary, length - SPECIALS_PER_TEXT, random);
  });
}

/**
 * Words with a natural distribution (few are frequent); every tenth word has two pieces, and about every ninth is followed by a punctuation
 * mark.
 */
function makeText({ words, endings }: Vocabulary, tokens: number, random: () => number): string {
  const pick = (from: readonly string[]): string => from[Math.floor(from.length ** random()) - 1] ?? '';
  let text = pick(words);
  for (let used = 1; used < tokens; used += 1) {
    const kind = random();
    if (kind < 0.1) text += pick(endings);
    else if (kind < 0.2) text += kind < 0.15 ? ',' : '.';
    else text += ` ${pick(words)}`;
  }
  return text;
}
