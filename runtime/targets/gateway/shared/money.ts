import { trimEndOf } from '#core/text/trim-text.ts';

/**
 * Amounts in nano-dollars as bigint: a number would silently lose cents above nine million dollars, and a
 * bigint cannot be confused with a token count.
 */
export type Nanos = bigint;

const FRACTION_DIGITS = 9;
const NANOS_PER_DOLLAR = 10n ** BigInt(FRACTION_DIGITS);
/** Databases store amounts in 64 bits, which end at 9.2 billion dollars. */
const MAX_DOLLARS = 9_000_000_000n;
const DECIMAL = /^\+?(\d{0,30})(?:\.(\d{0,400}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Converts dollars to nano-dollars, rounded to the nearest. Returns undefined if the amount is invalid,
 * negative or too large.
 */
export function nanosOf(dollars: number | string): Nanos | undefined {
  const [, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(String(dollars).trim()) ?? [];
  const digits = whole + fraction;
  if (digits === '') return undefined;
  const nanos = shift(BigInt(digits), FRACTION_DIGITS + Number(exponent) - fraction.length);
  return nanos === undefined || nanos > MAX_DOLLARS * NANOS_PER_DOLLAR ? undefined : nanos;
}

/** The exact amount in dollars. */
export function dollarText(nanos: Nanos): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = trimEndOf(String(size % NANOS_PER_DOLLAR).padStart(FRACTION_DIGITS, '0'), '0');
  const text = `${size / NANOS_PER_DOLLAR}${fraction === '' ? '' : `.${fraction}`}`;
  return nanos < 0n ? `-${text}` : text;
}

/** The nearest number to the amount in dollars. */
export const dollarsOf = (nanos: Nanos): number => Number(dollarText(nanos));

/** Multiplies by a power of ten and rounds half up. Returns undefined if the result has more digits than any amount. */
function shift(digits: bigint, power: number): bigint | undefined {
  if (digits === 0n) return 0n;
  if (power >= 0) return power > 30 ? undefined : digits * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (digits + divisor / 2n) / divisor;
}
