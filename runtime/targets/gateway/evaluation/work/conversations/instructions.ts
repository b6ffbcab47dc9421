import { inputError } from '#contract/errors.ts';
import { lookup } from '#core/values/lookup.ts';
import type { AnswerCheck } from './conversation.ts';
import { objectIn, shown, textIn } from './read-members.ts';

/** Whether a response follows an instruction of IFBench. `numbers` and `texts` are its settings. */
type Instruction = (answer: string, settings: Settings) => boolean;

interface Settings {
  readonly number: (name: string) => number;
  readonly text: (name: string) => string;
}

/** White space as in Python: ranges of code points. */
const SPACE_RANGES = [
  [0x09, 0x0d],
  [0x1c, 0x20],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
] as const;
const isSpace = (character: string): boolean => {
  const code = character.codePointAt(0) ?? 0;
  return SPACE_RANGES.some(([from, to]) => code >= from && code <= to);
};
const PUNCTUATION = new Set('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~');
const VOWELS = new Set('aeiou');
const CONSONANTS = new Set('bcdfghjklmnpqrstvwxyz');

function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (!isSpace(character)) word += character;
    else if (word !== '') {
      words.push(word);
      word = '';
    }
  }
  return word === '' ? words : [...words, word];
}
const withoutPunctuation = (text: string): string =>
  Array.from(text)
    .filter((character) => !PUNCTUATION.has(character))
    .join('');

function trimmed(text: string, isRemoved: (character: string) => boolean): string {
  const characters = Array.from(text);
  const from = characters.findIndex((character) => !isRemoved(character));
  return from === -1
    ? ''
    : characters.slice(from, characters.findLastIndex((one) => !isRemoved(one)) + 1).join('');
}

const isPunctuationOrSpace = (character: string): boolean => PUNCTUATION.has(character) || character === ' ';
const strip = (text: string): string => trimmed(text, isSpace);

function isPrime(number: number): boolean {
  if (number < 2 || number > 97) return false;
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false;
  return true;
}

const firstOf = (word: string): string => Array.from(word)[0] ?? '';
const count = (text: string, part: string): number => (part === '' ? 0 : text.split(part).length - 1);

const INSTRUCTIONS = lookup<Instruction>({
  'count:keywords_multiple': (answer, { text }) =>
    [1, 2, 3, 5, 7].every(
      (times, at) => count(answer.toLowerCase(), text(`keyword${at + 1}`).toLowerCase()) === times,
    ),
  'count:numbers': (answer, { number }) =>
    (withoutPunctuation(answer).match(/\p{Nd}+/gu) ?? []).length === number('N'),
  'count:punctuation': (answer) => {
    if (!answer.includes('!?') && !answer.includes('?!') && !answer.includes('\u203d')) return false;
    const rest = answer.includes('?!') ? answer.replace('?!', '') : answer.replace('!?', '');
    return ['.', ',', '!', '?', ';', ':'].every((sign) => rest.includes(sign));
  },
  'count:word_count_range': (answer, { number }) => {
    const words = (answer.match(/[\p{L}\p{N}_]+/gu) ?? []).length;
    return words >= number('min_words') && words <= number('max_words');
  },
  'format:newline': (answer) => {
    const text = strip(withoutPunctuation(answer));
    return text.split('\n').filter((line) => line !== '').length === wordsOf(text).length;
  },
  'format:no_whitespace': (answer) => !Array.from(answer).some(isSpace),
  'format:parentheses': (answer) => hasNestedBrackets(answer, 5),
  'format:quotes': (answer) => hasNestedQuotes(answer, 3),
  'format:sub-bullets': (answer) =>
    answer
      .split('*')
      .slice(1)
      .every((bullet) => bullet.includes('-')),
  'words:alphabet': followsAlphabet,
  'words:consonants': (answer) => wordsOf(answer.toLowerCase()).every(hasConsonantCluster),
  'words:no_consecutive': (answer) => {
    const letters = wordsOf(withoutPunctuation(answer.toLowerCase())).map(firstOf);
    return letters.every((letter, at) => at === 0 || letter !== letters[at - 1]);
  },
  'words:palindrome': (answer) =>
    wordsOf(withoutPunctuation(answer).toLowerCase()).filter((word) => {
      const letters = Array.from(word);
      return letters.length >= 5 && letters.toReversed().join('') === word;
    }).length >= 10,
  'words:paragraph_last_first': (answer) =>
    answer
      .split('\n')
      .map((paragraph) => strip(paragraph).toLowerCase())
      .filter((paragraph) => paragraph !== '')
      .every((paragraph) => {
        const words = wordsOf(trimmed(paragraph, isPunctuationOrSpace));
        return words.length > 0 && words[0] === words.at(-1);
      }),
  'words:prime_lengths': (answer) =>
    wordsOf(withoutPunctuation(answer)).every((word) => isPrime(Array.from(word).length)),
  'words:repeats': (answer, { number }) => {
    const counts = new Map<string, number>();
    for (const word of wordsOf(withoutPunctuation(answer.toLowerCase())))
      counts.set(word, (counts.get(word) ?? 0) + 1);
    return [...counts.values()].every((times) => times <= number('small_n'));
  },
  'words:vowel': (answer) => {
    const paragraph = strip(answer);
    if (paragraph.includes('\n')) return false;
    return new Set(Array.from(paragraph.toLowerCase()).filter((letter) => VOWELS.has(letter))).size <= 3;
  },
});

const CLOSED_BY = lookup<string>({ ')': '(', ']': '[', '}': '{' });

/** Whether brackets are nested this deep, and one of them is closed correctly. */
function hasNestedBrackets(text: string, depth: number): boolean {
  let open: string[] = [];
  let deepest = 0;
  for (const character of text) {
    const opener = CLOSED_BY[character];
    if ('([{'.includes(character)) {
      open.push(character);
      deepest = Math.max(deepest, open.length);
    } else if (opener !== undefined) {
      if (open.at(-1) !== opener) [open, deepest] = [[], 0];
      else {
        open.pop();
        if (deepest >= depth) return true;
      }
    }
  }
  return false;
}

/** Whether `"` and `'` are nested alternately this deep, and closed from the inside. */
function hasNestedQuotes(text: string, depth: number): boolean {
  const open: string[] = [];
  let deepest = 0;
  for (const character of text) {
    if (character !== '"' && character !== "'") continue;
    if (open.at(-1) === character) {
      open.pop();
      if (deepest - open.length >= depth) return true;
    } else {
      open.push(character);
      deepest = Math.max(deepest, open.length);
    }
  }
  return false;
}

const isLetter = (letter: string): boolean => letter >= 'a' && letter <= 'z' && letter.length === 1;

function followsAlphabet(answer: string): boolean {
  const words = wordsOf(trimmed(withoutPunctuation(answer), isPunctuationOrSpace));
  const first = firstOf(words[0] ?? '').toLowerCase();
  if (!isLetter(first)) return false;
  let expected = first.charCodeAt(0) - 97;
  return words.slice(1).every((word) => {
    expected = (expected + 1) % 26;
    return firstOf(word.toLowerCase()) === String.fromCodePoint(97 + expected);
  });
}

const hasConsonantCluster = (word: string): boolean =>
  Array.from(word).some(
    (letter, at, letters) => CONSONANTS.has(letter) && CONSONANTS.has(letters[at + 1] ?? ''),
  );

/** Reads an instruction such as `{"id": "count:numbers", "N": 3}`. A response without text follows none. */
export function instructionCheck(value: unknown, name: string): AnswerCheck {
  const members = objectIn(value, name);
  const id = textIn(members['id'], `${name}.id`);
  const follows = INSTRUCTIONS[id];
  if (!follows) {
    throw inputError(
      `\`${name}.id\` must be one of ${Object.keys(INSTRUCTIONS).join(', ')}, not ${shown(id)}.`,
    );
  }
  const settings: Settings = {
    number(setting) {
      const number = members[setting];
      if (typeof number === 'number') return number;
      throw inputError(`\`${name}.${setting}\` must be a number, not ${shown(number)}.`);
    },
    text: (setting) => textIn(members[setting], `${name}.${setting}`),
  };
  // Missing settings are reported before any model is called.
  follows('a', settings);
  return (answer) => strip(answer) !== '' && follows(answer, settings);
}
