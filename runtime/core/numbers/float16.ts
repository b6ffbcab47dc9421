/**
 * Converts float16 numbers, given as the bits of each. For Node before version 24, on which the npm package also
 * runs and which has no `Float16Array`.
 */
export const fromFloat16Bits = (bits: Uint16Array): Float32Array<ArrayBuffer> =>
  Float32Array.from(bits, valueOfBits);

function valueOfBits(bits: number): number {
  const sign = bits >= 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0
    ? sign * fraction * SMALLEST
    : sign * (1 + fraction / 0x400) * 2 ** (exponent - EXPONENT_BIAS);
}

const EXPONENT_BIAS = 15;
const SMALLEST = 2 ** -24;
