import { isObject } from '../../../core/json/is-object.ts';
import { isRawNumber } from '../../../core/json/lossless-json.ts';
import { refuse, type Shape } from './shape.ts';

export const text: Shape<string> = (value) => (typeof value === 'string' ? value : refuse(value, 'a string'));

export const filledText: Shape<string> = (value) =>
  typeof value === 'string' && value !== '' ? value : refuse(value, 'a string that is not empty');

export const flag: Shape<boolean> = (value) =>
  typeof value === 'boolean' ? value : refuse(value, 'true or false');

/** Also one that a double cannot hold, which stays as it was written. */
export const number: Shape = (value) =>
  Number.isFinite(numberOf(value)) ? value : refuse(value, 'a number');

export const wholeNumber: Shape = (value) =>
  Number.isSafeInteger(numberOf(value)) ? value : refuse(value, 'a whole number');

export const numberFrom =
  (least: number, most: number): Shape =>
  (value) => {
    const given = numberOf(value);
    return given >= least && given <= most ? value : refuse(value, `a number from ${least} to ${most}`);
  };

/** An object of JSON, whatever it holds. */
export const record: Shape<Readonly<Record<string, unknown>>> = (value) =>
  isRecord(value) ? value : refuse(value, 'an object');

/** Long numbers are objects to JavaScript, and none to JSON. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !isRawNumber(value);

export const oneOf =
  (...words: readonly string[]): Shape =>
  (value) =>
    words.some((word) => word === value)
      ? value
      : refuse(value, words.map((word) => JSON.stringify(word)).join(' or '));

/** As clients read it: white space is ignored, and the padding can be missing. https://infra.spec.whatwg.org/#forgiving-base64 */
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
  // February 30th is taken for a day of March.
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day ?? '');
  return isDay ? value : refuse(value, 'an ISO 8601 time with a time zone');
};

const numberOf = (value: unknown): number =>
  typeof value === 'number' ? value : isRawNumber(value) ? Number(value.rawJSON) : Number.NaN;
