/**
 * Finds the shortest digits that read back as each float32, of several the closest to it, with double arithmetic.
 *
 * A value times a power of ten, chosen so that eight or nine digits stand before the point, has its two boundaries (half a
 * step of float32 away) more than 0.59 away. So the whole number nearest to it is always inside; if a multiple of ten is
 * too, or of a hundred, that is shorter. Rounding errors stay below 1e-7, and nearer than 1e-6 nothing is decided.
 *
 * There are no branches on what is random in real data, as a wrong guess of the processor costs more than all the rest.
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
    // How far inside the boundaries, in millionths; the sign bit then makes 1 of inside and 0 of outside.
    const tensInside = ((room - Math.abs(scaled - tens)) * MILLION) | 0;
    const useTens = ~tensInside >>> 31;
    let found = (ones + (tens - ones) * useTens) | 0;
    let foundZeros = useTens;
    const hundredsInside = room - Math.abs(scaled - hundreds);
    if (hundredsInside > -MARGIN) {
      found = hundreds | 0;
      foundZeros = hundredsInside < MARGIN ? UNSURE : found % 1000 === 0 ? MANY_ZEROS : 2;
    }
    // Two multiples of ten that are nearly as close need no check: all float32 were tried, and none comes out wrong.
    if (tensInside === 0 || Math.abs(Math.abs(scaled - ones) - 0.5) < MARGIN || (word & MANTISSA) === 0) {
      foundZeros = UNSURE;
    }
    digits[at - from] = found;
    zeros[at - from] = foundZeros;
  }
}

export interface Digits {
  /** Eight or nine digits. */
  readonly digits: Int32Array;
  /** How many of the last are zeros: 0, 1, 2 or `MANY_ZEROS`; or `UNSURE`. Both are greater than any count. */
  readonly zeros: Uint8Array;
}

/** Three or more. */
export const MANY_ZEROS = 10;
/** A boundary is too near; or a power of two (its lower boundary is nearer), zero, subnormal, not finite. */
export const UNSURE = 20;

/** Adding this to a double and taking it away again rounds it, as it leaves no bits for a fraction. */
const TO_WHOLE = 1.5 * 2 ** 52;
const MILLION = 2 ** 20;
const MARGIN = 1 / MILLION;
const MANTISSA = 2 ** 23 - 1;
const HIDDEN_BIT = 2 ** 23;
const NOT_FINITE = 255;

/** The exponent bits of a float32. */
export const exponentOf = (word: number): number => (word >>> 23) & 0xff;

/** For each exponent the power of ten that gives eight or nine digits before the point. */
export interface Scales {
  readonly power: Float64Array;
  /** The same as an exponent: so many of the digits stand after the point. */
  readonly places: Int8Array;
  /** From one float32 to the next, times the power; zero for what is subnormal or not finite. */
  readonly step: Float64Array;
}

export function makeScales(): Scales {
  const power = new Float64Array(256);
  const places = new Int8Array(256);
  const step = new Float64Array(256);
  let place = 45;
  let scale = 10 ** place;
  // The least value of each exponent in turn.
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
