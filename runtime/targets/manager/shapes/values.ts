import { isObject } from '#core/json/is-object.ts';
import { isRawNumber } from '#core/json/lossless-json.ts';
import { refuse, type Shape } from './shape.ts';

export const text: Shape<string> = (value) => (typeof value === 'string' ? value : refuse(value, 'a string'));

export const filledText: Shape<string> = (value) =>
  typeof value === 'string' && value !== '' ? value : refuse(value, 'a non-empty string');

export const flag: Shape<boolean> = (value) =>
  typeof value === 'boolean' ? value : refuse(value, 'true or false');

/** A number, including one that a double cannot represent, which is not changed. */
export const number: Shape = (value) =>
  Number.isFinite(numberOf(value)) ? value : refuse(value, 'a number');

export const wholeNumber: Shape = (value) =>
  Number.isSafeInteger(numberOf(value)) ? value : refuse(value, 'a whole number');

export const numberFrom =
  (min: number, max: number): Shape =>
  (value) => {
    const number = numberOf(value);
    return number >= min && number <= max ? value : refuse(value, `a number from ${min} to ${max}`);
  };

/** Any JSON object. */
export const record: Shape<Readonly<Record<string, unknown>>> = (value) =>
  isRecord(value) ? value : refuse(value, 'an object');

/** Whether a value is a JSON object. Long numbers are JavaScript objects, but not JSON objects. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !isRawNumber(value);

export const oneOf =
  (...words: readonly string[]): Shape =>
  (value) =>
    words.some((word) => word === value)
      ? value
      : refuse(value, words.map((word) => JSON.stringify(word)).join(' or '));

/** Base64 as clients decode it: whitespace is ignored, and padding is optional. https://infra.spec.whatwg.org/#forgiving-base64 */
export const base64: Shape<string> = (value) =>
  typeof value === 'string' && isBase64(value) ? value : refuse(value, 'a string of base64');

function isBase64(value: string): boolean {
  const dense = value.replaceAll(/[\t\n\f\r ]+/g, '');
  const digits = dense.length % 4 === 0 ? dense.replace(/={1,2}$/, '') : dense;
  return digits.length % 4 !== 1 && !/[^A-Za-z\d+/]/.test(digits);
}

const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

export const dateTime: Shape = (value) => {
  const day = DATE_TIME.exec(typeof value === 'string' ? value : '')?.[1];
  const midnight = new Date(`${day}T00:00:00Z`);
  // JavaScript converts February 30 to a day in March, so the result is compared with the text.
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day ?? '');
  return isDay ? value : refuse(value, 'an ISO 8601 time with a time zone');
};

const numberOf = (value: unknown): number =>
  typeof value === 'number' ? value : isRawNumber(value) ? Number(value.rawJSON) : Number.NaN;
