/**
 * Returns the double whose shortest decimal form is the shortest that parses back to this float32:
 * 0.1f gives 0.1, not 0.10000000149011612. If several are equally short, returns the closest one.
 * Nine significant digits always suffice.
 */
export function shortestFloat32(value: number): number {
  if (!Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) <= EXACT_INTEGERS)) return value;
  // If a number of digits suffices, a larger number does, too. The search starts with nine digits,
  // because nearly all values need eight or nine.
  let shortest = Number(value.toPrecision(9));
  for (let digits = 8; digits > 0; digits--) {
    const candidate = withDigits(value, digits);
    if (Math.fround(candidate) !== value) break;
    shortest = candidate;
  }
  return shortest;
}

/** Up to this value, float32 represents every integer, so all digits of an integer are needed. */
const EXACT_INTEGERS = 2 ** 24;

/** Returns the decimal number with this number of digits that parses back to the value, if there is one. */
function withDigits(value: number, digits: number): number {
  const closest = Number(value.toPrecision(digits));
  // Float32 values below a power of two are half as far apart as those above it, so a decimal above
  // the value that is farther away can still parse back to it.
  if (Math.fround(closest) === value || !Number.isInteger(Math.log2(Math.abs(value)))) return closest;
  const [mantissa = '', exponent = ''] = value.toExponential(digits - 1).split('e');
  const farther = Number(mantissa.replace('.', '')) + Math.sign(value);
  return Number(`${farther}e${Number(exponent) - digits + 1}`);
}

/**
 * Finds the shortest digits that parse back to each float32, and of several the closest, with double arithmetic.
 *
 * A value times a power of ten, chosen so that eight or nine digits precede the point, has its two boundaries (half a float32
 * step away) more than 0.59 away. The nearest whole number is therefore always inside; if a multiple of ten or a hundred is
 * inside too, that is shorter. Rounding errors stay below 1e-7, and anything closer than 1e-6 to a boundary is left undecided.
 *
 * There are no data-dependent branches, because a branch misprediction costs more than all the rest.
 */
export function findDigits(
  words: Uint32Array,
  from: number,
  to: number,
  { step }: Scales,
  { digits, zeros }: Digits,
): void {
  for (let at = from; at < to; at++) {
    const word = words[at] ?? 0;
    const scale = step[exponentOf(word)] ?? 0;
    const scaled = ((word & MANTISSA) | HIDDEN_BIT) * scale;
    const room = scale * 0.5;
    const ones = scaled + TO_WHOLE - TO_WHOLE;
    const tens = (scaled * 0.1 + TO_WHOLE - TO_WHOLE) * 10;
    const hundreds = (scaled * 0.01 + TO_WHOLE - TO_WHOLE) * 100;
    // Distance to the boundary in millionths; its sign bit becomes 1 for inside and 0 for outside.
    const tensInside = ((room - Math.abs(scaled - tens)) * MILLION) | 0;
    const useTens = ~tensInside >>> 31;
    let found = (ones + (tens - ones) * useTens) | 0;
    let foundZeros = useTens;
    const hundredsInside = room - Math.abs(scaled - hundreds);
    if (hundredsInside > -MARGIN) {
      found = hundreds | 0;
      foundZeros = hundredsInside < MARGIN ? UNSURE : found % 1000 === 0 ? MANY_ZEROS : 2;
    }
    // Does not check for two multiples of ten that are almost equally close: a test with all
    // float32 values found no errors.
    if (tensInside === 0 || Math.abs(Math.abs(scaled - ones) - 0.5) < MARGIN || (word & MANTISSA) === 0) {
      foundZeros = UNSURE;
    }
    digits[at - from] = found;
    zeros[at - from] = foundZeros;
  }
}

export interface Digits {
  /** The digits as an integer with eight or nine digits. */
  readonly digits: Int32Array;
  /** Number of trailing zeros: 0, 1, 2, or one of the larger constants `MANY_ZEROS` and `UNSURE`. */
  readonly zeros: Uint8Array;
}

/** Three or more trailing zeros. */
export const MANY_ZEROS = 10;
/**
 * The digits must be computed in another way: the value is too close to a boundary, a power of two
 * (whose lower boundary is closer), zero, subnormal or not finite.
 */
export const UNSURE = 20;

/**
 * Adding and then subtracting this number rounds a double to an integer, because the sum has no
 * bits for a fraction.
 */
const TO_WHOLE = 1.5 * 2 ** 52;
const MILLION = 2 ** 20;
const MARGIN = 1 / MILLION;
const MANTISSA = 2 ** 23 - 1;
const HIDDEN_BIT = 2 ** 23;
const NOT_FINITE = 255;

/** The exponent bits of a float32. */
export const exponentOf = (word: number): number => (word >>> 23) & 0xff;

/** For each exponent, the power of ten that gives eight or nine digits before the point. */
export interface Scales {
  readonly power: Float64Array;
  /** The exponent of this power of ten, which is the number of digits after the point. */
  readonly places: Int8Array;
  /**
   * For each exponent, the distance between adjacent float32 values, multiplied by the power of
   * ten; zero for subnormal and non-finite values.
   */
  readonly step: Float64Array;
}

export function createScales(): Scales {
  const power = new Float64Array(256);
  const places = new Int8Array(256);
  const step = new Float64Array(256);
  let place = 45;
  let scale = 10 ** place;
  // Yields each exponent with the smallest value that has it.
  for (let exponent = 1, least = 2 ** -126; exponent < NOT_FINITE; exponent++, least *= 2) {
    if (least * scale >= 1e8) {
      place -= 1;
      scale = 10 ** place;
    }
    power[exponent] = scale;
    places[exponent] = place;
    step[exponent] = (least / HIDDEN_BIT) * scale;
  }
  return { power, places, step };
}
