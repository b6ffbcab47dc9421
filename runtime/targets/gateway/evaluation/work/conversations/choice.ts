import { inputError } from '#contract/errors.ts';
import type { AnswerCheck } from './conversation.ts';
import { objectIn, shown } from './read-members.ts';

const MAX_CHOICES = 26;

/** Phrases before or around the letter of an answer, from the clearest on. The last occurrence of a phrase counts. */
const PHRASES = [
  /\banswer\s*(?:is|:)\s*\(?([A-Z])\)?(?![A-Za-z])/gi,
  /\bfinal\s+answer(?:\s*:)?\s*\(?([A-Z])\)?(?![A-Za-z])/gi,
  /\bthe\s+correct\s+(?:answer|choice|option)\s*(?:is|:)\s*\(?([A-Z])\)?(?![A-Za-z])/gi,
  /\(([A-Z])\)\s*$/gi,
];
const STANDALONE = /(?<![\p{L}\p{N}_])[A-Z](?![\p{L}\p{N}_])/gu;
/** Length of the end of a response in which the letter is searched. */
const MAX_SEARCHED = 100_000;

/** The letter on a line of its own, with or without parentheses. */
const letterAlone = (line: string): string | undefined => /^\(?([A-Za-z])\)?$/.exec(line.trim())?.[1];

/**
 * The letter that a response to a multiple choice question names; undefined if it names none.
 *
 * @internal Exported for tests only.
 */
export function chosenLetter(answer: string, choices: number): string | undefined {
  const text = answer.slice(-MAX_SEARCHED);
  const isChoice = (letter: string | undefined): boolean =>
    letter !== undefined && letter.toUpperCase().charCodeAt(0) - 65 < choices;
  for (const phrase of PHRASES) {
    const letters = Array.from(text.matchAll(phrase), ([, letter]) => letter);
    const last = letters.findLast(isChoice);
    if (last !== undefined) return last.toUpperCase();
  }
  const alone = text.split('\n').map(letterAlone).findLast(isChoice);
  return (
    alone?.toUpperCase() ?? Array.from(text.matchAll(STANDALONE), ([letter]) => letter).findLast(isChoice)
  );
}

/** Reads `{"answer": "B", "choices": 4}`. Throws an InputError. */
export function choiceCheck(value: unknown, name: string): AnswerCheck {
  const { answer: right, choices } = objectIn(value, name, ['answer', 'choices']);
  if (typeof choices !== 'number' || !Number.isInteger(choices) || choices < 2 || choices > MAX_CHOICES) {
    throw inputError(
      `\`${name}.choices\` must be a whole number from 2 to ${MAX_CHOICES}, not ${shown(choices)}.`,
    );
  }
  if (typeof right !== 'string' || !/^[A-Z]$/.test(right) || right.charCodeAt(0) - 65 >= choices) {
    throw inputError(
      `\`${name}.answer\` must be one of the first ${choices} capital letters, not ${shown(right)}.`,
    );
  }
  return (answer) => chosenLetter(answer, choices) === right;
}
