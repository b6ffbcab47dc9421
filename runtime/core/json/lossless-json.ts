import { parseJsonText } from './json-text.ts';
import { trimEndOf } from '../text/trim-text.ts';
/**
 * A number that is kept in its original form, because a double cannot represent it exactly.
 * `JSON.stringify` writes the original digits.
 */
export interface RawNumber {
  readonly rawJSON: string;
}

// Functions that TypeScript's library does not declare yet.
interface RawJson {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}
const RAW_JSON = JSON as unknown as RawJson;

/**
 * Matches every text that can contain a number that a double cannot represent exactly: such a
 * number has at least sixteen consecutive digits (including the decimal point) or a three-digit
 * exponent, because a double preserves fifteen digits.
 */
const MAY_HOLD_LONG_NUMBER = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;
/** Longer exponents, also with leading zeros, are not compared with other forms of the number. */
const MAX_EXPONENT_LENGTH = 100;
const NUMBER = /^-?(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/**
 * `JSON.parse` that preserves all numbers. If the text contains only ordinary numbers, it takes one
 * additional search through the text.
 */
export function parseLossless(text: string): unknown {
  return parseJsonText(text, MAY_HOLD_LONG_NUMBER.test(text) ? keepLongNumber : undefined);
}

export function isRawNumber(value: unknown): value is RawNumber {
  return RAW_JSON.isRawJSON(value);
}

function keepLongNumber(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || isSameNumber(source, value)) return value;
  return RAW_JSON.rawJSON(source);
}

/** `1.50` and `15e-1` are the same number as 1.5; the original is only kept if the value would change. */
function isSameNumber(source: string, value: number): boolean {
  const printed = String(value);
  return source === printed || canonical(source) === canonical(printed);
}

/**
 * Returns the digits without leading and trailing zeros, and the power of ten of the last digit.
 * The sign is omitted, because a double always preserves it.
 */
function canonical(text: string): string {
  const [, whole = text, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = trimEndOf(digits, '0');
  if (significant === '') return '0';
  // Not the exponent of any double. Converting millions of digits would take seconds.
  if (exponent.length > MAX_EXPONENT_LENGTH) return text;
  return `${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`;
}
