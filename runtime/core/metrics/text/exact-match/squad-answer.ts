import { splitWords } from '../white-space.ts';

const PUNCTUATION = /[!-/:-@[-`{-~]/g;
/** `\b` would see a boundary between "é" and "a". */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;

/** An answer as SQuAD compares it: without case, ASCII punctuation, English articles and extra spaces. */
export const squadAnswer = (text: string): string =>
  splitWords(text.toLowerCase().replace(PUNCTUATION, '').replace(ARTICLES, ' ')).join(' ');
