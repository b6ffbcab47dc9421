import { splitWords } from '../white-space.ts';

/** Characters that chrF compares: all except white space. */
export const chrfCharacters = (text: string): string => splitWords(text).join('');

/** Words that chrF++ compares: one punctuation mark is split off a word, from its end or otherwise from its start. */
export const chrfWords = (text: string): string[] => splitWords(text).flatMap(cutMark);

const LAST_MARK = /^(.+)([!-/:-@[-`{-~])$/su;
const FIRST_MARK = /^([!-/:-@[-`{-~])(.+)$/su;

function cutMark(word: string): string[] {
  const [, ...parts] = LAST_MARK.exec(word) ?? FIRST_MARK.exec(word) ?? [];
  return parts.length === 0 ? [word] : parts;
}
