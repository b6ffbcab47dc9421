import { SHAPES } from '../models/shapes.ts';
import { makeShortTexts, makeTexts } from '../models/texts.ts';
import { makeVocabulary } from '../models/vocabulary.ts';

export interface Scenario {
  readonly title: string;
  /** The texts of each request. */
  readonly requests: readonly (readonly string[])[];
  readonly concurrency: number;
}

/** Generated texts of mixed lengths. */
export const mixedTexts = (): string[] => makeTexts(makeVocabulary(SHAPES.m6.vocabulary), MIXED);

/** Texts of mixed lengths, individually and in batches, and short texts. `share` is the fraction of the requests to send. */
export function scenarios(texts: readonly string[] | undefined, share: number): Scenario[] {
  const vocabulary = makeVocabulary(SHAPES.m6.vocabulary);
  const mixed = texts ?? mixedTexts();
  const short =
    texts?.map((text) => text.split(' ').slice(0, WORDS).join(' ')) ?? makeShortTexts(vocabulary, MIXED);
  const single = (from: readonly string[], count: number): string[][] =>
    Array.from({ length: Math.ceil(count * share) }, (_, at) => [from[at % from.length] ?? '']);
  const grouped = (size: number, count: number): string[][] =>
    Array.from({ length: Math.ceil((count * share) / size) }, (_, group) =>
      Array.from({ length: size }, (_one, at) => mixed[(group * size + at) % mixed.length] ?? ''),
    );
  return [
    { title: 'short, 1 at a time', requests: single(short, 200), concurrency: 1 },
    { title: 'mixed, 1 at a time', requests: single(mixed, 160), concurrency: 1 },
    { title: 'mixed, 8 at a time', requests: single(mixed, 320), concurrency: 8 },
    { title: 'mixed, 64 at a time', requests: single(mixed, 512), concurrency: 64 },
    { title: '8 texts a request, 64 at a time', requests: grouped(8, 768), concurrency: 64 },
  ];
}

const MIXED = 768;
/** Words in a short text: about as many tokens as a search query. */
const WORDS = 9;
