import { SECRET_NAME_END } from '#core/text/secret-name.ts';

/** Minimum length of named secrets that are redacted wherever they occur as a word. */
const MIN_WORD_LENGTH = 6;
/**
 * Minimum length of values that are also redacted inside other words, because they are too long to
 * occur by chance.
 */
const MIN_PART_LENGTH = 16;

/** An escape sequence before a value is not part of its word: `\n`, `\u000a`, `%3A`, a color. */
const AFTER_ESCAPE = String.raw`(?<=%[\dA-Fa-f]{2}|\\[bfnrt]|\\u[\dA-Fa-f]{4}|\[[\d;]{0,20}m)`;
const WORD_START = `(?:(?<![A-Za-z0-9])|${AFTER_ESCAPE})`;
const WORD_END = '(?![A-Za-z0-9])';

/**
 * Contexts in which a short value is a secret: after a secret-sounding name, and as the user
 * information of a URL.
 */
const AFTER_NAME = String.raw`${SECRET_NAME_END}[\\"'\])\s]{0,8}(?:[=:]|\s(?:is|was)\b|\s)[\\"'([\s]{0,8}(?:basic\s)?`;
const IN_URL = String.raw`:\/\/(?:[^\s/@]{0,200}:)?`;

/** Matches values as words, or also as parts of words if they are long, in every encoding that text can contain. */
export function wordPattern(values: readonly string[]): RegExp | undefined {
  const forms = [...new Set(values.filter(isLong).flatMap(formsOf))];
  if (forms.length === 0) return undefined;
  const parts = forms.filter((form) => form.length >= MIN_PART_LENGTH);
  const words = forms.filter((form) => form.length < MIN_PART_LENGTH);
  const [plain, other] = [words.filter(startsPlain), words.filter((form) => !startsPlain(form))];
  // The start is tested once for all words, because the pattern is tried at each position of the
  // text.
  const groups = [
    ...(parts.length > 0 ? [anyOf(parts, '')] : []),
    ...(other.length > 0 ? [anyOf(other, WORD_END)] : []),
    ...(plain.length > 0 ? [`${WORD_START}${anyOf(plain, WORD_END)}`] : []),
  ];
  // oxlint-disable-next-line encoderfile/linear-regexp -- Literal texts, with limits for all that is repeated.
  return new RegExp(groups.join('|'), 'g');
}

/** Matches values that are too short for `wordPattern`, in contexts that identify secrets. The first group is kept. */
export function contextPattern(values: readonly string[]): RegExp | undefined {
  const short = [...new Set(values)].filter((value) => !isLong(value));
  if (short.length === 0) return undefined;
  return new RegExp(`(${AFTER_NAME})${anyOf(short, WORD_END)}|(${IN_URL})${anyOf(short, '(?=@)')}`, 'gi');
}

const isLong = (value: string): boolean => value.length >= MIN_WORD_LENGTH;

const startsPlain = (form: string): boolean => /^[A-Za-z0-9]/.test(form);

/** Longest first, because a value can contain another value. */
function anyOf(values: readonly string[], end: string): string {
  const longestFirst = values.toSorted((one, other) => other.length - one.length);
  const alternatives = longestFirst.map(
    (value) => RegExp.escape(value) + (/[A-Za-z0-9]$/.test(value) || !end.startsWith('(?!') ? end : ''),
  );
  return `(?:${alternatives.join('|')})`;
}

/** Returns a secret as it appears in plain text, in JSON, in a URL and in Base64. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    // encodeURIComponent throws on a lone surrogate.
    encodeURIComponent(secret.toWellFormed()),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ];
}
