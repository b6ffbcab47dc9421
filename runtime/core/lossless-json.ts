import { parseJsonText } from './json-text.ts';
/** A number kept as it was written, because a double would change it. `JSON.stringify` writes it back digit for digit. */
export interface RawNumber {
  readonly rawJSON: string;
}

// TypeScript's library does not have these yet.
interface RawJson {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}
const RAW_JSON = JSON as unknown as RawJson;

/**
 * Only a text with sixteen digits in a row, the point among them, or an exponent of three digits can hold a number that a
 * double changes: fifteen digits always survive.
 */
const MAY_HOLD_LONG_NUMBER = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;
const NUMBER = /^-?(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** `JSON.parse` that changes no number. A text with ordinary numbers costs one search through it. */
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

/** `1.50` and `15e-1` are the same number as 1.5; only what another number would come out of is worth keeping. */
function isSameNumber(source: string, value: number): boolean {
  const printed = String(value);
  return source === printed || canonical(source) === canonical(printed);
}

/** The digits without zeros at their ends, and the power of ten of the last one. The sign is never lost in parsing. */
function canonical(text: string): string {
  const [, whole = text, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`;
}
