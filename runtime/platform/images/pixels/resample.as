/**
 * The two passes of Pillow's resize over bytes. Weights have 22 bits after the point; a sum starts with a half, so
 * that the shift rounds, and is limited to 0 to 255 after it. Sums wrap at 32 bits, as in C.
 */

const BITS: i32 = 22;
const HALF: i32 = 1 << (BITS - 1);
const RGB: usize = 3;

/** The sum of four bytes from `at`, of which the last one is not used, and a weight. */
@inline
function added(sum: v128, at: usize, weight: usize): v128 {
  const pixel = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(at)));
  return i32x4.add(sum, i32x4.mul(pixel, v128.load32_splat(weight)));
}

/**
 * The horizontal pass: computes `width` pixels for each of `rows` rows. `first` and `count` are the first old pixel and
 * the number of old pixels for each new one. Writes one byte more than the result has.
 */
export function narrowRows(
  from: usize,
  rowBytes: usize,
  rows: i32,
  first: usize,
  count: usize,
  weights: usize,
  stride: usize,
  width: i32,
  to: usize,
): void {
  for (let row = 0; row < rows; row++) {
    for (let column: usize = 0; column < <usize>width; column++) {
      let at = from + <usize>load<u32>(first + (column << 2)) * RGB;
      let weight = weights + column * stride * 4;
      const end = weight + (<usize>load<u32>(count + (column << 2)) << 2);
      let sum = i32x4.splat(HALF);
      let second = i32x4.splat(0);
      // Two sums, because an addition waits for the one before it.
      for (; weight + 4 < end; weight += 8) {
        sum = added(sum, at, weight);
        second = added(second, at + RGB, weight + 4);
        at += 2 * RGB;
      }
      if (weight < end) sum = added(sum, at, weight);
      const values = i32x4.shr_s(i32x4.add(sum, second), BITS);
      const words = i16x8.narrow_i32x4_s(values, values);
      v128.store32_lane(to, i8x16.narrow_i16x8_u(words, words), 0);
      to += RGB;
    }
    from += rowBytes;
  }
}

/**
 * The vertical pass: computes `rows` rows of `rowBytes` bytes. `first` is relative to the row at `from`. Reads and
 * writes up to 15 bytes more than there are.
 */
export function lowerColumns(
  from: usize,
  rowBytes: usize,
  rows: i32,
  first: usize,
  count: usize,
  weights: usize,
  stride: usize,
  to: usize,
): void {
  for (let row: usize = 0; row < <usize>rows; row++) {
    const start = from + <usize>load<u32>(first + (row << 2)) * rowBytes;
    const weightStart = weights + row * stride * 4;
    const weightEnd = weightStart + (<usize>load<u32>(count + (row << 2)) << 2);
    for (let byte: usize = 0; byte < rowBytes; byte += 16) {
      let a = i32x4.splat(HALF);
      let b = a;
      let c = a;
      let d = a;
      let at = start + byte;
      for (let weight = weightStart; weight < weightEnd; weight += 4) {
        const factor = v128.load32_splat(weight);
        const bytes = v128.load(at);
        const low = i16x8.extend_low_i8x16_u(bytes);
        const high = i16x8.extend_high_i8x16_u(bytes);
        a = i32x4.add(a, i32x4.mul(i32x4.extend_low_i16x8_u(low), factor));
        b = i32x4.add(b, i32x4.mul(i32x4.extend_high_i16x8_u(low), factor));
        c = i32x4.add(c, i32x4.mul(i32x4.extend_low_i16x8_u(high), factor));
        d = i32x4.add(d, i32x4.mul(i32x4.extend_high_i16x8_u(high), factor));
        at += rowBytes;
      }
      const low = i16x8.narrow_i32x4_s(i32x4.shr_s(a, BITS), i32x4.shr_s(b, BITS));
      const high = i16x8.narrow_i32x4_s(i32x4.shr_s(c, BITS), i32x4.shr_s(d, BITS));
      v128.store(to + byte, i8x16.narrow_i16x8_u(low, high));
    }
    to += rowBytes;
  }
}
