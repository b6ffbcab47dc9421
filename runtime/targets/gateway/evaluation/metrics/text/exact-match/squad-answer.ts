import { splitWords } from '../white-space.ts';

const PUNCTUATION = /[!-/:-@[-`{-~]/g;
/** `\b` would see a word boundary between "é" and "a". */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;

/** Normalizes an answer like SQuAD: ignores case, ASCII punctuation, English articles and extra spaces. */
export const squadAnswer = (text: string): string =>
  splitWords(text.toLowerCase().replace(PUNCTUATION, '').replace(ARTICLES, ' ')).join(' ');
