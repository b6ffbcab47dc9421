import { SECRET_NAME_END } from '../core/secret-name.ts';

/** Named secrets of this length are hidden wherever they stand as a word. */
const MIN_WORD_LENGTH = 6;
/** Values of this length are hidden also inside other words: they do not occur by chance. */
const MIN_PART_LENGTH = 16;

/** Whatever ends an escape sequence before a value is no part of its word: `\n`, `\u000a`, `%3A`, a color. */
const AFTER_ESCAPE = String.raw`(?<=%[\dA-Fa-f]{2}|\\[bfnrt]|\\u[\dA-Fa-f]{4}|\[[\d;]{0,20}m)`;
const WORD_START = `(?:(?<![A-Za-z0-9])|${AFTER_ESCAPE})`;
const WORD_END = '(?![A-Za-z0-9])';

/** Where a short value is a secret: after a name that says so, and as the user information of a URL. */
const AFTER_NAME = String.raw`${SECRET_NAME_END}[\\"'\])\s]{0,8}(?:[=:]|\s(?:is|was)\b|\s)[\\"'([\s]{0,8}(?:basic\s)?`;
const IN_URL = String.raw`:\/\/(?:[^\s/@]{0,200}:)?`;

/** Finds values as a word, or as a part of one if they are long, in every form that they can have in a text. */
export function wordPattern(values: readonly string[]): RegExp | undefined {
  const forms = [...new Set(values.filter(isLong).flatMap(formsOf))];
  if (forms.length === 0) return undefined;
  const parts = forms.filter((form) => form.length >= MIN_PART_LENGTH);
  const words = forms.filter((form) => form.length < MIN_PART_LENGTH);
  const [plain, other] = [words.filter(startsPlain), words.filter((form) => !startsPlain(form))];
  // One test of the start for all words: it is made at each place of the text.
  const groups = [
    ...(parts.length > 0 ? [anyOf(parts, '')] : []),
    ...(other.length > 0 ? [anyOf(other, WORD_END)] : []),
    ...(plain.length > 0 ? [`${WORD_START}${anyOf(plain, WORD_END)}`] : []),
  ];
  return new RegExp(groups.join('|'), 'g');
}

/** Finds values that are too short for that, where a text says that they are secrets. Its first group stays. */
export function contextPattern(values: readonly string[]): RegExp | undefined {
  const short = [...new Set(values)].filter((value) => !isLong(value));
  if (short.length === 0) return undefined;
  return new RegExp(`(${AFTER_NAME})${anyOf(short, WORD_END)}|(${IN_URL})${anyOf(short, '(?=@)')}`, 'gi');
}

const isLong = (value: string): boolean => value.length >= MIN_WORD_LENGTH;

const startsPlain = (form: string): boolean => /^[A-Za-z0-9]/.test(form);

/** The longest goes first: it may contain another one. */
function anyOf(values: readonly string[], end: string): string {
  const longestFirst = values.toSorted((one, other) => other.length - one.length);
  const alternatives = longestFirst.map(
    (value) => RegExp.escape(value) + (/[A-Za-z0-9]$/.test(value) || !end.startsWith('(?!') ? end : ''),
  );
  return `(?:${alternatives.join('|')})`;
}

/** A secret as it is, inside JSON, inside an address, and in base64. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    // Throws on half of a character.
    encodeURIComponent(secret.toWellFormed()),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ];
}
