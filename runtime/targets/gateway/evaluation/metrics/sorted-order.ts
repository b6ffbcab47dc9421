const DIGITS_PER_NUMBER = 8;
const DIGIT_VALUES = 256;

/**
 * The sorted order of numbers, as indexes. Equal numbers keep their order, and NaN is last in both
 * directions. This is a radix sort: it takes a few milliseconds for 100,000 numbers, a tenth of the time of a
 * comparison sort.
 */
export function sortedOrder(numbers: ArrayLike<number>, isDescending = false): Uint32Array {
  const size = numbers.length;
  const digits = digitsOf(numbers, isDescending);
  const counts = new Uint32Array(DIGIT_VALUES);
  let order = new Uint32Array(size);
  for (let at = 0; at < size; at += 1) order[at] = at;
  let next = new Uint32Array(size);
  for (let digit = 0; digit < DIGITS_PER_NUMBER; digit += 1) {
    counts.fill(0);
    for (let at = digit; at < digits.length; at += DIGITS_PER_NUMBER) {
      const value = digits[at] ?? 0;
      counts[value] = (counts[value] ?? 0) + 1;
    }
    // The lower digits of integers are all equal.
    if (counts[digits[digit] ?? 0] === size) continue;
    let place = 0;
    for (let value = 0; value < DIGIT_VALUES; value += 1) {
      const count = counts[value] ?? 0;
      counts[value] = place;
      place += count;
    }
    for (let from = 0; from < size; from += 1) {
      const at = order[from] ?? 0;
      const value = digits[at * DIGITS_PER_NUMBER + digit] ?? 0;
      const to = counts[value] ?? 0;
      next[to] = at;
      counts[value] = to + 1;
    }
    [order, next] = [next, order];
  }
  return order;
}

/**
 * Eight digits per number, lowest first, that sort like the numbers. The bits of floating-point numbers do so
 * if negative numbers are inverted and the sign bit of all others is set. All of Node's platforms that this
 * runs on are little-endian.
 */
function digitsOf(numbers: ArrayLike<number>, isDescending: boolean): Uint8Array {
  const values = new Float64Array(numbers.length);
  const halves = new Uint32Array(values.buffer);
  for (let at = 0; at < values.length; at += 1) {
    // Adding 0 turns -0 into 0.
    const number = (numbers[at] ?? 0) + 0;
    values[at] = number;
    const low = halves[2 * at] ?? 0;
    const high = halves[2 * at + 1] ?? 0;
    if (Number.isNaN(number)) halves.fill(0xff_ff_ff_ff, 2 * at, 2 * at + 2);
    else if (high >>> 31 === 1) {
      if (isDescending) continue;
      halves[2 * at] = ~low;
      halves[2 * at + 1] = ~high;
    } else {
      halves[2 * at] = isDescending ? ~low : low;
      halves[2 * at + 1] = high ^ (isDescending ? 0x7f_ff_ff_ff : 0x80_00_00_00);
    }
  }
  return new Uint8Array(values.buffer);
}
