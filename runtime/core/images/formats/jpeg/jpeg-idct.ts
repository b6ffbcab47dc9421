/**
 * The inverse cosine transform of libjpeg (`jpeg_idct_islow`), with the same numbers of bits and the same rounding. The
 * factors have 13 bits after the point, and results of the first pass have 2.
 */
export function inverseTransform(
  coefficients: Int16Array,
  at: number,
  quantization: Uint16Array,
  output: Uint8Array,
  start: number,
  stride: number,
): void {
  for (let column = 0; column < 8; column += 1) {
    for (let row = 0; row < 8; row += 1) {
      const index = row * 8 + column;
      line[row] = Math.imul(coefficients[at + index] ?? 0, quantization[index] ?? 0);
    }
    transformLine(FIRST_BITS);
    for (let row = 0; row < 8; row += 1) block[row * 8 + column] = line[row] ?? 0;
  }
  for (let row = 0; row < 8; row += 1) {
    for (let column = 0; column < 8; column += 1) line[column] = block[row * 8 + column] ?? 0;
    transformLine(SECOND_BITS);
    for (let column = 0; column < 8; column += 1) {
      output[start + row * stride + column] = Math.max(0, Math.min(255, (line[column] ?? 0) + 128));
    }
  }
}

const FIRST_BITS = 11;
const SECOND_BITS = 18;
const line = new Int32Array(8);
const block = new Int32Array(64);

/** Transforms the eight numbers of `line`, and divides them by a power of two. */
function transformLine(bits: number): void {
  const half = 1 << (bits - 1);
  const even = Math.imul((line[2] ?? 0) + (line[6] ?? 0), 4433);
  const even2 = even + Math.imul(line[6] ?? 0, -15_137);
  const even3 = even + Math.imul(line[2] ?? 0, 6270);
  const sum = ((line[0] ?? 0) + (line[4] ?? 0)) << 13;
  const difference = ((line[0] ?? 0) - (line[4] ?? 0)) << 13;
  const outer = sum + even3;
  const inner = sum - even3;
  const second = difference + even2;
  const third = difference - even2;
  const [a, b, c, d] = [line[7] ?? 0, line[5] ?? 0, line[3] ?? 0, line[1] ?? 0];
  const all = Math.imul(a + c + b + d, 9633);
  const ad = Math.imul(a + d, -7373);
  const bc = Math.imul(b + c, -20_995);
  const ac = Math.imul(a + c, -16_069) + all;
  const bd = Math.imul(b + d, -3196) + all;
  const odd0 = Math.imul(a, 2446) + ad + ac;
  const odd1 = Math.imul(b, 16_819) + bc + bd;
  const odd2 = Math.imul(c, 25_172) + bc + ac;
  const odd3 = Math.imul(d, 12_299) + ad + bd;
  line[0] = (outer + odd3 + half) >> bits;
  line[7] = (outer - odd3 + half) >> bits;
  line[1] = (second + odd2 + half) >> bits;
  line[6] = (second - odd2 + half) >> bits;
  line[2] = (third + odd1 + half) >> bits;
  line[5] = (third - odd1 + half) >> bits;
  line[3] = (inner + odd0 + half) >> bits;
  line[4] = (inner - odd0 + half) >> bits;
}
