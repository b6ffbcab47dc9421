import { seededRandom } from './seeded.ts';

export interface Vocabulary {
  /** Every piece, by its ID. */
  readonly pieces: readonly string[];
  readonly words: readonly string[];
  readonly endings: readonly string[];
}

/** IDs of the special tokens, as in BERT's English vocabulary. */
export const SPECIAL_TOKENS = {
  '[PAD]': 0,
  '[UNK]': 100,
  '[CLS]': 101,
  '[SEP]': 102,
  '[MASK]': 103,
} as const;
const FIRST_PIECE = 999;
const CHARACTERS = [
  ...Array.from({ length: 94 }, (_, at) => String.fromCodePoint(33 + at)).filter((c) => !/[A-Z]/.test(c)),
  ...'abcdefghijklmnopqrstuvwxyz0123456789'.split('').map((character) => `##${character}`),
];
const ENDING_SHARE = 0.2;
const ONSETS = [
  '',
  'b',
  'br',
  'c',
  'ch',
  'd',
  'dr',
  'f',
  'g',
  'gr',
  'h',
  'j',
  'k',
  'l',
  'm',
  'n',
  'p',
  'pl',
  'r',
];
const MORE_ONSETS = ['s', 'sh', 'st', 't', 'th', 'tr', 'v', 'w', 'z'];
const NUCLEI = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'ou', 'y'];
const CODAS = ['', '', '', 'n', 'r', 's', 't', 'l', 'nd', 'st', 'm', 'ck'];

/** A WordPiece vocabulary of the given size with BERT's layout: special tokens, unused tokens, characters, then words and suffixes. */
export function makeVocabulary(size: number): Vocabulary {
  const random = seededRandom('vocabulary');
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? '';
  const syllable = (): string => pick([...ONSETS, ...MORE_ONSETS]) + pick(NUCLEI) + pick(CODAS);
  const specials = new Map<number, string>(Object.entries(SPECIAL_TOKENS).map(([token, id]) => [id, token]));
  const pieces = new Set<string>();
  for (let id = 0; id < FIRST_PIECE; id += 1) pieces.add(specials.get(id) ?? `[unused${id}]`);
  for (const character of CHARACTERS) pieces.add(character);
  const words: string[] = [];
  const endings: string[] = [];
  while (pieces.size < size) {
    const isEnding = random() < ENDING_SHARE;
    const syllables = 1 + Math.floor(random() * (isEnding ? 2 : 3));
    const letters = Array.from({ length: syllables }, syllable).join('');
    const piece = isEnding ? `##${letters}` : letters;
    if (letters.length < 2 || pieces.has(piece)) continue;
    pieces.add(piece);
    (isEnding ? endings : words).push(letters);
  }
  return { pieces: [...pieces], words, endings };
}
