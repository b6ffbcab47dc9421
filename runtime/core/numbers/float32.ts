/**
 * Returns the double whose shortest decimal form is the shortest that parses back to this float32:
 * 0.1f gives 0.1, not 0.10000000149011612. Among several, the closest one. Nine significant digits
 * always suffice.
 */
export function shortestFloat32(value: number): number {
  if (!Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) <= EXACT_INTEGERS)) return value;
  // If a number of digits suffices, larger numbers do too; nearly all values need eight or nine, so the search starts there.
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

/** Returns the decimal with this number of digits that parses back to the value, if there is one. */
function withDigits(value: number, digits: number): number {
  const closest = Number(value.toPrecision(digits));
  // Below a power of two, the adjacent value is only half as far away as above it, where a more
  // distant decimal may still be close enough.
  if (Math.fround(closest) === value || !Number.isInteger(Math.log2(Math.abs(value)))) return closest;
  const [mantissa = '', exponent = ''] = value.toExponential(digits - 1).split('e');
  const farther = Number(mantissa.replace('.', '')) + Math.sign(value);
  return Number(`${farther}e${Number(exponent) - digits + 1}`);
}
