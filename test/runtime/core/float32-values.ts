/** Random bit patterns, identical in every run: of all magnitudes, including infinities and NaN. */
export function randomFloats(seed: number, count: number): Float32Array<ArrayBuffer> {
  const words = new Uint32Array(count);
  let state = seed;
  for (let at = 0; at < count; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // The low bits of such a generator repeat quickly.
    words[at] = state ^ (state >>> 15) ^ (seed << 7);
  }
  return new Float32Array(words.buffer);
}

/** Values that are difficult to print: powers of two and ten, integers, the smallest and largest values, and adjacent values. */
export function boundaryFloats(): Float32Array<ArrayBuffer> {
  const values = [0, -0, NaN, Infinity, -Infinity];
  for (let exponent = -149; exponent < 128; exponent++) values.push(2 ** exponent, 1.5 * 2 ** exponent);
  for (let exponent = -45; exponent < 39; exponent++) values.push(Number(`1e${exponent}`));
  for (let exponent = 20; exponent < 31; exponent++) {
    for (let more = 0; more < 20; more++) values.push(2 ** exponent + more * 2 ** (exponent - 22));
  }
  for (let integer = 0; integer < 2000; integer++) values.push(integer, integer / 8, integer * 2 ** -149);
  return withNeighbours(values);
}

/** Each value as float32, with three adjacent values on both sides, and the negatives of all. */
export function withNeighbours(values: readonly number[]): Float32Array<ArrayBuffer> {
  const bits = new Uint32Array(Float32Array.from(values).buffer);
  const words = [...bits].flatMap((word) => [-3, -2, -1, 0, 1, 2, 3].map((step) => word + step));
  return new Float32Array(Uint32Array.from(words.flatMap((word) => [word, word ^ SIGN])).buffer);
}

const SIGN = 2 ** 31;
