import { wordsOfText, trimEnd, trimStart } from './text-row.ts';

/** Tokenizers: `13a` for languages with spaces, `zh` for Chinese, `char` for Japanese, Thai and others without spaces. */
export type BleuTokenizer = '13a' | 'intl' | 'zh' | 'char' | 'none';

/** Tokenizes like the sacrebleu tokenizer of the same name. */
export const bleuTokens = (text: string, tokenizer: BleuTokenizer): string[] =>
  wordsOfText(SPACED[tokenizer](trimEnd(text)));

/** Functions that insert spaces around tokens. */
const SPACED: Readonly<Record<BleuTokenizer, (text: string) => string>> = {
  '13a': (text) => spaceWestern(` ${unescape(text)} `),
  intl: spaceInternational,
  zh: (text) => spaceWestern(spaceChinese(trimStart(text))),
  char: (text) => Array.from(text).join(' '),
  none: (text) => text,
};

/** The language-independent part of mteval-v13a.pl: joins words that are hyphenated at the end of a line. */
function unescape(text: string): string {
  const joined = text.replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' ');
  return joined
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
}

/**
 * The part of mteval-v13a.pl for Western languages: splits off ASCII punctuation, except dots, commas and
 * dashes inside numbers.
 */
const spaceWestern = (text: string): string =>
  text
    .replace(/[ -&(-+/:-@[-`{-~]/g, ' $& ')
    .replace(/([^0-9])([.,])/gu, '$1 $2 ')
    .replace(/([.,])([^0-9])/gu, ' $1 $2')
    .replace(/([0-9])-/g, '$1 - ');

/** mteval-v14.pl: splits off punctuation and symbols of all scripts. */
function spaceInternational(text: string): string {
  return text
    .replace(/(\P{N})(\p{P})/gu, '$1 $2 ')
    .replace(/(\p{P})(\P{N})/gu, ' $1 $2')
    .replace(/\p{S}/gu, ' $& ');
}

const spaceChinese = (text: string): string =>
  Array.from(text, (character) => (isChinese(character) ? ` ${character} ` : character)).join('');

/**
 * Ranges that sacrebleu's `zh` tokenizer treats as Chinese. Its list is meant to include two blocks beyond
 * U+FFFF, but writes them with four digits and a stray fifth, so it actually matches U+2001 to U+2A6D and
 * U+2F81 to U+2FA1, including arrows and mathematical symbols, and no character beyond U+FFFF. This list
 * reproduces that, so that scores are equal.
 */
const BLOCKS: readonly (readonly [first: number, last: number])[] = [
  // Punctuation, arrows, mathematical symbols, box drawing: caused by that mistake.
  [0x2001, 0x2a6d],
  // Radicals and ideographic description characters.
  [0x2e80, 0x2fdf],
  [0x2ff0, 0x303f],
  // Bopomofo and strokes.
  [0x3100, 0x312f],
  [0x31a0, 0x31bf],
  [0x31c0, 0x31ef],
  // Enclosed letters, months, squared units.
  [0x3200, 0x33ff],
  // The ideographs themselves.
  [0x3400, 0x4db5],
  [0x4e00, 0x9fbb],
  [0xf900, 0xfa2d],
  [0xfa30, 0xfa6a],
  [0xfa70, 0xfad9],
  // Vertical, compatibility, half-width and full-width forms.
  [0xfe10, 0xfe1f],
  [0xfe30, 0xfe4f],
  [0xff00, 0xffef],
];

function isChinese(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return BLOCKS.some(([first, last]) => code >= first && code <= last);
}
