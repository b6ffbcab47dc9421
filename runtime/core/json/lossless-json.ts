import { parseJsonText } from './json-text.ts';
import { trimEndOf } from '../text/trim-text.ts';
/** A number kept in its original form, because a double would change it. `JSON.stringify` writes it back digit by digit. */
export interface RawNumber {
  readonly rawJSON: string;
}

// TypeScript's library does not declare these yet.
interface RawJson {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}
const RAW_JSON = JSON as unknown as RawJson;

/**
 * Only a text with sixteen consecutive digits, including the point, or a three-digit exponent can
 * contain a number that a double would change: fifteen digits always survive.
 */
const MAY_HOLD_LONG_NUMBER = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;
const NUMBER = /^-?(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** `JSON.parse` that preserves all numbers. For ordinary numbers it costs one search through the text. */
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
 * The digits without leading and trailing zeros, and the power of ten of the last digit. Parsing
 * never loses the sign.
 */
function canonical(text: string): string {
  const [, whole = text, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = trimEndOf(digits, '0');
  if (significant === '') return '0';
  return `${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`;
}
