import { lookup } from '#core/values/lookup.ts';
import { CONFUSABLES } from './confusables.ts';
import { isInvisible } from './invisible.ts';

/** The words of a text in a form that is compared with patterns. */
export interface Words {
  readonly words: readonly string[];
  /** Position of each word in the text. */
  readonly starts: readonly number[];
}

const MAX_WORD = 64;

/**
 * Splits a text into words in lower case. Removes what hides words from a simple search: invisible characters, accents, letters of other scripts that
 * look like Latin ones, digits instead of letters, and spaces between the letters of a word. Letters of Chinese and Japanese are words of their own.
 */
export function wordsOf(text: string): Words {
  const words: string[] = [];
  const starts: number[] = [];
  /** The letters of characters that occurred before, because looking them up takes long. */
  const seen = new Map<number, string>();
  let word = '';
  let start = 0;
  const end = (): void => {
    if (word === '') return;
    words.push(word.length > MAX_WORD ? word.slice(0, MAX_WORD) : word);
    starts.push(start);
    word = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) {
      if (isAsciiWord(unit)) {
        if (word === '') start = at;
        word += unit >= 0x41 && unit <= 0x5a ? String.fromCharCode(unit + 0x20) : text[at];
      } else if (unit !== APOSTROPHE) end();
      continue;
    }
    const point = text.codePointAt(at) ?? unit;
    if (isInvisible(point) || point === 0x2019) {
      if (point > 0xffff) at += 1;
      continue;
    }
    if (isIdeograph(point)) {
      end();
      words.push(String.fromCodePoint(point));
      starts.push(at);
    } else {
      const letters = seen.get(point) ?? latinOf(String.fromCodePoint(point), point);
      seen.set(point, letters);
      if (letters === '') {
        // A combining mark belongs to the character before it.
        if (point < 0x300 || point > 0x36f) end();
      } else {
        if (word === '') start = at;
        word += letters;
      }
    }
    if (point > 0xffff) at += 1;
  }
  end();
  return joinLetters(words.map(withoutDigits), starts);
}

const APOSTROPHE = 0x27;

const isAsciiWord = (unit: number): boolean =>
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  (unit >= 0x30 && unit <= 0x39) ||
  unit === 0x40 ||
  unit === 0x24;

const isIdeograph = (point: number): boolean =>
  (point >= 0x3040 && point <= 0x30ff) ||
  (point >= 0x3400 && point <= 0x9fff) ||
  (point >= 0x2_0000 && point <= 0x3_1fff);

/** Returns the Latin letters that a letter looks like, or the letter itself; empty for characters between words. */
function latinOf(character: string, point: number): string {
  const lower = character.toLowerCase();
  const latin = CONFUSABLES.get(lower);
  if (latin !== undefined) return latin;
  if (!isCompatible(point)) return /[\p{L}\p{N}\p{M}]/u.test(lower) ? lower : '';
  return Array.from(lower.normalize('NFKD').toLowerCase(), (one) =>
    /[\p{L}\p{N}]/u.test(one) ? (CONFUSABLES.get(one) ?? one) : '',
  ).join('');
}

/** Whether a character can be a variant of a Latin letter. Other letters are not normalized, because that takes long. */
const isCompatible = (point: number): boolean =>
  point < 0x370 ||
  (point >= 0x1d00 && point <= 0x24ff) ||
  (point >= 0xff00 && point <= 0xffef) ||
  (point >= 0x1_d400 && point <= 0x1_d7ff) ||
  (point >= 0x1_f100 && point <= 0x1_f1ff);

const LETTERS = lookup<string>({
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
});

/** Replaces digits and signs between letters by the letters that they look like: `1nstruct10ns`. */
function withoutDigits(word: string): string {
  let letters = 0;
  let others = 0;
  for (let at = 0; at < word.length; at += 1) {
    const unit = word.charCodeAt(at);
    if (unit === 0x40 || unit === 0x24 || (unit >= 0x30 && unit <= 0x39)) others += 1;
    else letters += 1;
  }
  if (others === 0) return word;
  if (letters < 2 || others > letters + 2) return word.replaceAll(/[@$]/g, '');
  return Array.from(word, (one) => LETTERS[one] ?? one).join('');
}

/** Number of single letters in a row that are joined to a word. Fewer ones are enumerations. */
const MIN_LETTERS = 5;
/** Distance of two letters with one character between them. */
const MAX_STEP = 2;

/** Joins letters that are separated by one character each: `i g n o r e`. */
function joinLetters(words: readonly string[], starts: readonly number[]): Words {
  if (!hasLetters(words)) return { words, starts };
  const joined: string[] = [];
  const at: number[] = [];
  for (let first = 0; first < words.length;) {
    let last = first;
    while (
      words[last + 1]?.length === 1 &&
      words[last]?.length === 1 &&
      (starts[last + 1] ?? 0) - (starts[last] ?? 0) <= MAX_STEP
    ) {
      last += 1;
    }
    const isWord = last - first + 1 >= MIN_LETTERS && /^[a-z]/.test(words[first] ?? '');
    if (isWord) {
      joined.push(words.slice(first, last + 1).join(''));
      at.push(starts[first] ?? 0);
      first = last + 1;
    } else {
      joined.push(words[first] ?? '');
      at.push(starts[first] ?? 0);
      first += 1;
    }
  }
  return { words: joined, starts: at };
}

function hasLetters(words: readonly string[]): boolean {
  let row = 0;
  for (const word of words) {
    row = word.length === 1 && word >= 'a' && word <= 'z' ? row + 1 : 0;
    if (row >= MIN_LETTERS) return true;
  }
  return false;
}
