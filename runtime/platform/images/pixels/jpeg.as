/**
 * Decodes the data of a baseline JPEG image: Huffman codes, the inverse cosine transform (`islow`), interpolated
 * colors and RGB, with the arithmetic that libjpeg-turbo uses with vector instructions. Data that are unusual in any
 * way are not decoded, so that another decoder decides about them.
 */

// Positions in a table of codes: the values of short codes with their lengths; short codes together with the
// coefficients after them; for long codes, the largest code and the offset of its value for each length; and all values.
const SHORT_BITS: i32 = 10;
const WHOLE: usize = 2 << SHORT_BITS;
const LARGEST: usize = WHOLE + (2 << SHORT_BITS);
const OFFSETS: usize = LARGEST + 4 * 17;
const VALUES: usize = OFFSETS + 4 * 17;

/** Fills a table from the numbers of codes of each length, from 1 to 16 bits. Returns whether it is possible. */
export function buildTable(table: usize, counts: usize, values: usize): bool {
  memory.fill(table, 0, VALUES);
  let code: i32 = 0;
  let position: i32 = 0;
  for (let bits: i32 = 1; bits <= 16; bits++) {
    const count: i32 = load<u8>(counts + bits - 1);
    if (code + count > 1 << bits || position + count > 256) return false;
    store<i32>(table + OFFSETS + (<usize>bits << 2), position - code);
    for (let each: i32 = 0; each < count; each++, code++, position++) {
      const value: u8 = load<u8>(values + position);
      store<u8>(table + VALUES + position, value);
      if (bits > SHORT_BITS) continue;
      const start = code << (SHORT_BITS - bits);
      for (let at = start; at < start + (1 << (SHORT_BITS - bits)); at++) {
        store<u16>(table + (<usize>at << 1), <u16>((bits << 8) | value));
      }
    }
    store<i32>(table + LARGEST + (<usize>bits << 2), count > 0 ? code - 1 : -1);
    code <<= 1;
  }
  findWhole(table);
  return true;
}

/**
 * For bits that contain a code and its whole coefficient, stores the coefficient in the upper 8 bits, the number of
 * zeros before it, and in the lower 4 bits the number of bits of both.
 */
function findWhole(table: usize): void {
  for (let bits: i32 = 0; bits < 1 << SHORT_BITS; bits++) {
    const code: i32 = load<u16>(table + (<usize>bits << 1));
    const size = code & 15;
    const length = (code >> 8) + size;
    if (size === 0 || length > SHORT_BITS) continue;
    const value = (bits >> (SHORT_BITS - length)) & ((1 << size) - 1);
    const coefficient = value >> (size - 1) === 0 ? value - (1 << size) + 1 : value;
    if (coefficient < -128 || coefficient > 127) continue;
    store<i16>(table + WHOLE + (<usize>bits << 1), <i16>((coefficient << 8) | (code & 0xf0) | length));
  }
}

/** The position in a block of each coefficient in the order of the file. */
const ZIGZAG = memory.data<u8>([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
]);

/** The coefficients of the current block. */
const BLOCK = memory.data(128, 16);

// Bits that have been read and not used, from the highest bit; their number, without zeros after the end of the data.
let buffer: u64 = 0;
let count: i32 = 0;
let position: usize = 0;
let end: usize = 0;
let previous: i32 = 0;

/** Reads bytes until there are at least 32 bits, or a marker. `count` can be less only before a marker. */
function fill(): void {
  if (position + 4 <= end) {
    const word = bswap<u32>(load<u32>(position));
    // None of the bytes has the value of a marker.
    if (((~word - 0x01010101) & word & 0x80808080) === 0) {
      buffer |= (<u64>word) << (32 - count);
      count += 32;
      position += 4;
      return;
    }
  }
  while (count <= 56 && position < end) {
    const byte = load<u8>(position);
    if (byte === 0xff) {
      if (load<u8>(position + 1) !== 0) return;
      position++;
    }
    position++;
    buffer |= (<u64>byte) << (56 - count);
    count += 8;
  }
}

/** The length of the next code in the upper and its value in the lower 8 bits; 0 if it is undefined. */
@inline
function nextCode(table: usize): i32 {
  if (count < 32) fill();
  const found: i32 = load<u16>(table + (<usize>(buffer >> (64 - SHORT_BITS)) << 1));
  return found !== 0 ? found : longCode(table);
}

function longCode(table: usize): i32 {
  for (let bits = SHORT_BITS + 1; bits <= 16; bits++) {
    const code = <i32>(buffer >> (64 - bits));
    if (code > load<i32>(table + LARGEST + (<usize>bits << 2))) continue;
    const at = code + load<i32>(table + OFFSETS + (<usize>bits << 2));
    return (bits << 8) | load<u8>(table + VALUES + (at & 255));
  }
  return 0;
}

/** The next bits as a number whose first bit states its sign. */
@inline
function signed(bits: i32): i32 {
  const value = <i32>(buffer >> (64 - bits));
  buffer <<= bits;
  count -= bits;
  return value >> (bits - 1) === 0 ? value - (1 << bits) + 1 : value;
}

/** Reads a block. Returns the position of its last coefficient, or -1 if the data are damaged. */
function readBlock(dc: usize, ac: usize): i32 {
  for (let at: usize = 0; at < 128; at += 16) v128.store(BLOCK + at, i16x8.splat(0));
  const first = nextCode(dc);
  if (first === 0 || (first & 255) > 11) return -1;
  buffer <<= first >> 8;
  count -= first >> 8;
  if ((first & 255) > 0) previous += signed(first & 255);
  store<i16>(BLOCK, <i16>previous);
  let last: i32 = 0;
  for (let index: i32 = 1; index < 64; index++) {
    if (count < 32) fill();
    const whole: i32 = load<i16>(ac + (<usize>(buffer >> (64 - SHORT_BITS)) << 1), WHOLE);
    if (whole !== 0) {
      index += (whole >> 4) & 15;
      if (index > 63) return -1;
      buffer <<= whole & 15;
      count -= whole & 15;
      store<i16>(BLOCK + (<usize>load<u8>(ZIGZAG + index) << 1), <i16>(whole >> 8));
      last = index;
      continue;
    }
    const code = nextCode(ac);
    if (code === 0) return -1;
    buffer <<= code >> 8;
    count -= code >> 8;
    const bits = code & 15;
    index += (code >> 4) & 15;
    if (bits === 0) {
      if ((code & 255) !== 0xf0) break;
      continue;
    }
    if (index > 63) return -1;
    store<i16>(BLOCK + (<usize>load<u8>(ZIGZAG + index) << 1), <i16>signed(bits));
    last = index;
  }
  // The bits after the end are zeros.
  return count < 0 ? -1 : last;
}

@inline
function low(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
@inline
function high(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/** Two factors of 16 bits, four times. */
@inline
function pair(a: i32, b: i32): v128 {
  return i32x4.splat((a & 0xffff) | (b << 16));
}

// The eight rows of the block.
let r0 = i16x8.splat(0);
let r1 = r0;
let r2 = r0;
let r3 = r0;
let r4 = r0;
let r5 = r0;
let r6 = r0;
let r7 = r0;

/** Rounds sums and differences to 16 bits. */
@inline
function rounded(a: v128, b: v128, bits: i32): v128 {
  const half = i32x4.splat(1 << (bits - 1));
  return i16x8.narrow_i32x4_s(
    i32x4.shr_s(i32x4.add(a, half), bits),
    i32x4.shr_s(i32x4.add(b, half), bits),
  );
}

/** Transforms the columns of the block. The factors have 13 bits after the point. */
@inline
function transformColumns(bits: i32): void {
  const zero = i16x8.splat(0);
  const l26 = low(r2, r6);
  const h26 = high(r2, r6);
  const e3 = pair(4433 + 6270, 4433);
  const e2 = pair(4433, 4433 - 15137);
  const even3l = i32x4.dot_i16x8_s(l26, e3);
  const even3h = i32x4.dot_i16x8_s(h26, e3);
  const even2l = i32x4.dot_i16x8_s(l26, e2);
  const even2h = i32x4.dot_i16x8_s(h26, e2);
  const sum = i16x8.add(r0, r4);
  const difference = i16x8.sub(r0, r4);
  const suml = i32x4.shr_s(low(zero, sum), 3);
  const sumh = i32x4.shr_s(high(zero, sum), 3);
  const diffl = i32x4.shr_s(low(zero, difference), 3);
  const diffh = i32x4.shr_s(high(zero, difference), 3);
  const t10l = i32x4.add(suml, even3l);
  const t10h = i32x4.add(sumh, even3h);
  const t13l = i32x4.sub(suml, even3l);
  const t13h = i32x4.sub(sumh, even3h);
  const t11l = i32x4.add(diffl, even2l);
  const t11h = i32x4.add(diffh, even2h);
  const t12l = i32x4.sub(diffl, even2l);
  const t12h = i32x4.sub(diffh, even2h);

  const z3 = i16x8.add(r7, r3);
  const z4 = i16x8.add(r5, r1);
  const zl = low(z3, z4);
  const zh = high(z3, z4);
  const f3 = pair(9633 - 16069, 9633);
  const f4 = pair(9633, 9633 - 3196);
  const z3l = i32x4.dot_i16x8_s(zl, f3);
  const z3h = i32x4.dot_i16x8_s(zh, f3);
  const z4l = i32x4.dot_i16x8_s(zl, f4);
  const z4h = i32x4.dot_i16x8_s(zh, f4);

  const l71 = low(r7, r1);
  const h71 = high(r7, r1);
  const f0 = pair(2446 - 7373, -7373);
  const f1 = pair(-7373, 12299 - 7373);
  const o0l = i32x4.add(i32x4.dot_i16x8_s(l71, f0), z3l);
  const o0h = i32x4.add(i32x4.dot_i16x8_s(h71, f0), z3h);
  const o3l = i32x4.add(i32x4.dot_i16x8_s(l71, f1), z4l);
  const o3h = i32x4.add(i32x4.dot_i16x8_s(h71, f1), z4h);

  const l53 = low(r5, r3);
  const h53 = high(r5, r3);
  const f5 = pair(16819 - 20995, -20995);
  const f6 = pair(-20995, 25172 - 20995);
  const o1l = i32x4.add(i32x4.dot_i16x8_s(l53, f5), z4l);
  const o1h = i32x4.add(i32x4.dot_i16x8_s(h53, f5), z4h);
  const o2l = i32x4.add(i32x4.dot_i16x8_s(l53, f6), z3l);
  const o2h = i32x4.add(i32x4.dot_i16x8_s(h53, f6), z3h);

  r0 = rounded(i32x4.add(t10l, o3l), i32x4.add(t10h, o3h), bits);
  r7 = rounded(i32x4.sub(t10l, o3l), i32x4.sub(t10h, o3h), bits);
  r1 = rounded(i32x4.add(t11l, o2l), i32x4.add(t11h, o2h), bits);
  r6 = rounded(i32x4.sub(t11l, o2l), i32x4.sub(t11h, o2h), bits);
  r2 = rounded(i32x4.add(t12l, o1l), i32x4.add(t12h, o1h), bits);
  r5 = rounded(i32x4.sub(t12l, o1l), i32x4.sub(t12h, o1h), bits);
  r3 = rounded(i32x4.add(t13l, o0l), i32x4.add(t13h, o0h), bits);
  r4 = rounded(i32x4.sub(t13l, o0l), i32x4.sub(t13h, o0h), bits);
}

/** Exchanges rows and columns. */
@inline
function transpose(): void {
  const a0 = low(r0, r4);
  const a1 = high(r0, r4);
  const a2 = low(r1, r5);
  const a3 = high(r1, r5);
  const a4 = low(r2, r6);
  const a5 = high(r2, r6);
  const a6 = low(r3, r7);
  const a7 = high(r3, r7);
  const b0 = low(a0, a4);
  const b1 = high(a0, a4);
  const b2 = low(a1, a5);
  const b3 = high(a1, a5);
  const b4 = low(a2, a6);
  const b5 = high(a2, a6);
  const b6 = low(a3, a7);
  const b7 = high(a3, a7);
  r0 = low(b0, b4);
  r1 = high(b0, b4);
  r2 = low(b1, b5);
  r3 = high(b1, b5);
  r4 = low(b2, b6);
  r5 = high(b2, b6);
  r6 = low(b3, b7);
  r7 = high(b3, b7);
}

/** Writes two rows of samples. */
@inline
function storeRows(first: v128, second: v128, to: usize, stride: usize): void {
  const samples = i8x16.add(i8x16.narrow_i16x8_s(first, second), i8x16.splat(-128));
  v128.store64_lane(to, samples, 0);
  v128.store64_lane(to + stride, samples, 1);
}

@inline
function scaled(quantization: usize, row: usize): v128 {
  return i16x8.mul(v128.load(BLOCK + row * 16), v128.load(quantization + row * 16));
}

/** Writes the samples of the block, whose last coefficient is at `last`. */
function transformBlock(last: i32, quantization: usize, to: usize, stride: usize): void {
  if (last === 0) {
    const value = <i32>(<i16>(load<i16>(BLOCK) * load<i16>(quantization)));
    const all = i16x8.splat(<i16>((((value << 18) >> 16) + 16) >> 5));
    for (let row: usize = 0; row < 8; row += 2) storeRows(all, all, to + row * stride, stride);
    return;
  }
  r0 = scaled(quantization, 0);
  r1 = scaled(quantization, 1);
  r2 = scaled(quantization, 2);
  r3 = scaled(quantization, 3);
  r4 = scaled(quantization, 4);
  r5 = scaled(quantization, 5);
  r6 = scaled(quantization, 6);
  r7 = scaled(quantization, 7);
  transformColumns(11);
  transpose();
  transformColumns(18);
  transpose();
  storeRows(r0, r1, to, stride);
  storeRows(r2, r3, to + 2 * stride, stride);
  storeRows(r4, r5, to + 4 * stride, stride);
  storeRows(r6, r7, to + 6 * stride, stride);
}

// A component: the addresses of its tables, factors and samples, bytes per row, its samples per unit, and its previous
// first coefficient.
const COMPONENT: usize = 32;

/** Moves behind the marker if it follows. */
function passMarker(marker: i32): bool {
  if (count >= 8 || load<u8>(position) !== 0xff || load<u8>(position + 1) !== <u8>marker) return false;
  position += 2;
  buffer = 0;
  count = 0;
  return true;
}

/** Decodes the data of an image to the samples of its components. Returns whether nothing is unusual. */
export function decodeScan(
  data: usize,
  dataEnd: usize,
  components: usize,
  number: i32,
  unitsWide: i32,
  unitsHigh: i32,
  restartInterval: i32,
): bool {
  position = data;
  end = dataEnd;
  buffer = 0;
  count = 0;
  let untilRestart = restartInterval;
  let restart: i32 = 0;
  const componentsEnd = components + <usize>number * COMPONENT;
  for (let each = components; each < componentsEnd; each += COMPONENT) store<i32>(each, 0, 28);
  for (let row = 0; row < unitsHigh; row++) {
    for (let column = 0; column < unitsWide; column++) {
      if (restartInterval > 0 && untilRestart-- === 0) {
        if (!passMarker(0xd0 + (restart++ & 7))) return false;
        untilRestart = restartInterval - 1;
        for (let each = components; each < componentsEnd; each += COMPONENT) store<i32>(each, 0, 28);
      }
      for (let each = components; each < componentsEnd; each += COMPONENT) {
        const dc: usize = load<u32>(each);
        const ac: usize = load<u32>(each, 4);
        const quantization: usize = load<u32>(each, 8);
        const stride: usize = load<u32>(each, 16);
        const wide: i32 = load<i32>(each, 20);
        const tall: i32 = load<i32>(each, 24);
        const samples: usize =
          <usize>load<u32>(each, 12) + <usize>(row * tall * 8) * stride + <usize>(column * wide * 8);
        previous = load<i32>(each, 28);
        for (let y: i32 = 0; y < tall; y++) {
          for (let x: i32 = 0; x < wide; x++) {
            const last = readBlock(dc, ac);
            if (last < 0) return false;
            transformBlock(last, quantization, samples + <usize>(y * 8) * stride + <usize>(x * 8), stride);
          }
        }
        store<i32>(each, previous, 28);
      }
    }
  }
  return passMarker(0xd9);
}

/**
 * Writes a row of a color with 16 bits per sample, minus 128: three quarters of the nearest sample and one quarter of
 * the next one, in the directions in which the color has half as many samples. `far` is the next row of samples.
 * `sums` has space for the samples and 18 more.
 */
export function colorRow(
  near: usize,
  far: usize,
  width: i32,
  isHalfWide: bool,
  isHalfTall: bool,
  sums: usize,
  to: usize,
): void {
  const start = isHalfWide ? sums + 2 : to;
  const three = i16x8.splat(3);
  const middle = i16x8.splat(128);
  for (let at: i32 = 0; at < width; at += 8) {
    let sum = v128.load8x8_u(near + at);
    if (isHalfTall) sum = i16x8.add(i16x8.mul(sum, three), v128.load8x8_u(far + at));
    v128.store(start + (<usize>at << 1), isHalfWide ? sum : i16x8.sub(sum, middle));
  }
  if (!isHalfWide) return;
  store<u16>(sums, load<u16>(start));
  store<u16>(start + (<usize>width << 1), load<u16>(start + (<usize>width << 1) - 2));
  const bits = isHalfTall ? 4 : 2;
  const roundLeft = i16x8.splat(isHalfTall ? 8 : 1);
  const roundRight = i16x8.splat(isHalfTall ? 7 : 2);
  for (let at: i32 = 0; at < width; at += 8) {
    const sum = start + (<usize>at << 1);
    const three_ = i16x8.mul(v128.load(sum), three);
    const left = i16x8.shr_u(i16x8.add(i16x8.add(three_, v128.load(sum - 2)), roundLeft), bits);
    const right = i16x8.shr_u(i16x8.add(i16x8.add(three_, v128.load(sum + 2)), roundRight), bits);
    v128.store(to + (<usize>at << 2), i16x8.sub(low(left, right), middle));
    v128.store(to + (<usize>at << 2), i16x8.sub(high(left, right), middle), 16);
  }
}

/** Four pixels of four bytes as four of three bytes. */
@inline
function storeFour(pixels: v128, to: usize): void {
  v128.store(to, i8x16.swizzle(pixels, i8x16(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1)));
}

@inline
function storeSixteen(red: v128, green: v128, blue: v128, to: usize): void {
  const rgl = v128.shuffle<u8>(red, green, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const rgh = v128.shuffle<u8>(red, green, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const bl = v128.shuffle<u8>(blue, blue, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const bh = v128.shuffle<u8>(blue, blue, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  storeFour(low(rgl, bl), to);
  storeFour(high(rgl, bl), to + 12);
  storeFour(low(rgh, bh), to + 24);
  storeFour(high(rgh, bh), to + 36);
}

/** What a color adds to eight samples of luminance, rounded to whole numbers. */
@inline
function share(first: v128, second: v128, factors: v128, round: v128): v128 {
  return i16x8.narrow_i32x4_s(
    i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(low(first, second), factors), round), 16),
    i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(high(first, second), factors), round), 16),
  );
}

/** Writes a row of pixels, and up to 52 bytes more. */
export function rgbRow(luminance: usize, blueColor: usize, redColor: usize, width: i32, to: usize): void {
  const round = i32x4.splat(32768);
  const zero = i16x8.splat(0);
  // The factors are 1.402 - 1, 1.772 - 2, 0.34414 and 1 - 0.71414, with 16 bits after the point.
  const toRed = pair(26345, 0);
  const toBlue = pair(-14942, 0);
  const toGreen = pair(-22554, 18734);
  for (let at: i32 = 0; at < width; at += 16) {
    const samples = v128.load(luminance + at);
    const yl = i16x8.extend_low_i8x16_u(samples);
    const yh = i16x8.extend_high_i8x16_u(samples);
    const bl = v128.load(blueColor + (<usize>at << 1));
    const bh = v128.load(blueColor + (<usize>at << 1), 16);
    const rl = v128.load(redColor + (<usize>at << 1));
    const rh = v128.load(redColor + (<usize>at << 1), 16);
    const red = i8x16.narrow_i16x8_u(
      i16x8.add(i16x8.add(yl, rl), share(rl, zero, toRed, round)),
      i16x8.add(i16x8.add(yh, rh), share(rh, zero, toRed, round)),
    );
    const green = i8x16.narrow_i16x8_u(
      i16x8.add(i16x8.sub(yl, rl), share(bl, rl, toGreen, round)),
      i16x8.add(i16x8.sub(yh, rh), share(bh, rh, toGreen, round)),
    );
    const blue = i8x16.narrow_i16x8_u(
      i16x8.add(i16x8.add(yl, i16x8.shl(bl, 1)), share(bl, zero, toBlue, round)),
      i16x8.add(i16x8.add(yh, i16x8.shl(bh, 1)), share(bh, zero, toBlue, round)),
    );
    storeSixteen(red, green, blue, to + <usize>at * 3);
  }
}

/** Writes a row of grey pixels, and up to 52 bytes more. */
export function greyRow(luminance: usize, width: i32, to: usize): void {
  for (let at: i32 = 0; at < width; at += 16) {
    const samples = v128.load(luminance + at);
    storeSixteen(samples, samples, samples, to + <usize>at * 3);
  }
}
