/**
 * The shortest decimals that round-trip to a finite float32; if there are several, the closest (two if they are equally close), as
 * JavaScript prints them without the sign. Uses only integer arithmetic, so it is slow, and independent of the code under test.
 */
export function shortestDecimals(value: number): string[] {
  if (value === 0) return ['0'];
  const { mantissa, exponent } = partsOf(value);
  // All values are in quarters of a step, because below a power of two the boundary is a quarter of a step away.
  const exact = 4n * mantissa;
  const isPowerOfTwo = mantissa === 2n ** 23n && exponent > LEAST_EXPONENT;
  const below = exact - (isPowerOfTwo ? 1n : 2n);
  const above = exact + 2n;
  // A decimal on a boundary is read as the even one of two floats.
  const edge = mantissa % 2n === 0n ? 0n : 1n;

  for (let place = Math.ceil(Math.log10(Math.abs(value))) + 1; ; place--) {
    // The number of units of 10^place in a quarter of a step, as a fraction.
    const [top, bottom] = scaled(exponent - 2, -place);
    const first = ceil(below * top + edge, bottom);
    const last = (above * top - edge) / bottom;
    if (first > last) continue;
    const distance = (units: bigint): bigint => magnitude(units * bottom - exact * top);
    const middle = (exact * top) / bottom;
    const near = [middle, middle + 1n, first, last].filter((units) => units >= first && units <= last);
    const least = near.map(distance).reduce((a, b) => (a < b ? a : b));
    const closest = new Set(near.filter((units) => distance(units) === least));
    return [...closest].map((units) => String(Number(`${units}e${place}`)));
  }
}

const LEAST_EXPONENT = -149;

/** value = mantissa * 2^exponent */
function partsOf(value: number): { mantissa: bigint; exponent: number } {
  const word = new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;
  const biased = (word >>> 23) & 0xff;
  const fraction = BigInt(word & (2 ** 23 - 1));
  return biased === 0
    ? { mantissa: fraction, exponent: LEAST_EXPONENT }
    : { mantissa: fraction + 2n ** 23n, exponent: biased - 150 };
}

/** 2^two * 10^ten as a fraction of integers. */
function scaled(two: number, ten: number): [top: bigint, bottom: bigint] {
  const power = (base: bigint, exponent: number): bigint => base ** BigInt(Math.max(exponent, 0));
  return [power(2n, two) * power(10n, ten), power(2n, -two) * power(10n, -ten)];
}

const ceil = (top: bigint, bottom: bigint): bigint => (top + bottom - 1n) / bottom;
const magnitude = (number: bigint): bigint => (number < 0n ? -number : number);
