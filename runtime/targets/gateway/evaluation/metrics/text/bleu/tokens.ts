import { splitWords, trimEnd, trimStart } from '../white-space.ts';
import { isChinese } from './chinese.ts';

/** Tokenizers: `13a` for languages with spaces, `zh` for Chinese, `char` for Japanese, Thai and others without spaces. */
export type BleuTokenizer = '13a' | 'intl' | 'zh' | 'char' | 'none';

/** Tokenizes like the sacrebleu tokenizer of this name. */
export const bleuTokens = (text: string, tokenizer: BleuTokenizer): string[] =>
  splitWords(SPACED[tokenizer](trimEnd(text)));

/** Functions that put spaces around tokens. */
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
 * The part of mteval-v13a.pl for Western languages: splits ASCII punctuation, but not dots, commas and dashes inside numbers.
 */
const spaceWestern = (text: string): string =>
  text
    .replace(/[ -&(-+/:-@[-`{-~]/g, ' $& ')
    .replace(/([^0-9])([.,])/gu, '$1 $2 ')
    .replace(/([.,])([^0-9])/gu, ' $1 $2')
    .replace(/([0-9])-/g, '$1 - ');

/** mteval-v14.pl: splits punctuation and symbols of all scripts. */
function spaceInternational(text: string): string {
  return text
    .replace(/(\P{N})(\p{P})/gu, '$1 $2 ')
    .replace(/(\p{P})(\P{N})/gu, ' $1 $2')
    .replace(/\p{S}/gu, ' $& ');
}

const spaceChinese = (text: string): string =>
  Array.from(text, (character) => (isChinese(character) ? ` ${character} ` : character)).join('');
