import { splitWords } from '../white-space.ts';

/** The characters that chrF compares: all but white space. */
export const chrfCharacters = (text: string): string => splitWords(text).join('');

/** The words that chrF++ compares: one punctuation mark is cut off a word, from its end or else from its beginning. */
export const chrfWords = (text: string): string[] => splitWords(text).flatMap(cutMark);

const LAST_MARK = /^(.+)([!-/:-@[-`{-~])$/su;
const FIRST_MARK = /^([!-/:-@[-`{-~])(.+)$/su;

function cutMark(word: string): string[] {
  const [, ...parts] = LAST_MARK.exec(word) ?? FIRST_MARK.exec(word) ?? [];
  return parts.length === 0 ? [word] : parts;
}
