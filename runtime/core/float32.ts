/**
 * The double whose shortest decimal form is the shortest that reads back as this float32: 0.1f gives 0.1, not
 * 0.10000000149011612. Of several the closest. Nine significant digits always suffice for a float32.
 */
export function shortestFloat32(value: number): number {
  if (!Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) <= EXACT_INTEGERS)) return value;
  // Where some number of digits suffices, more do too; nearly all values need eight or nine, so the search starts there.
  let shortest = Number(value.toPrecision(9));
  for (let digits = 8; digits > 0; digits--) {
    const candidate = withDigits(value, digits);
    if (Math.fround(candidate) !== value) break;
    shortest = candidate;
  }
  return shortest;
}

/** Up to here float32 holds every integer, so all of an integer's digits are needed. */
const EXACT_INTEGERS = 2 ** 24;

/** The decimal with so many digits that reads back as the value, if there is one. */
function withDigits(value: number, digits: number): number {
  const closest = Number(value.toPrecision(digits));
  // Towards zero a power of two has its neighbour only half as far as on the other side, where a decimal that is less close
  // may still be close enough.
  if (Math.fround(closest) === value || !Number.isInteger(Math.log2(Math.abs(value)))) return closest;
  const [mantissa = '', exponent = ''] = value.toExponential(digits - 1).split('e');
  const farther = Number(mantissa.replace('.', '')) + Math.sign(value);
  return Number(`${farther}e${Number(exponent) - digits + 1}`);
}
