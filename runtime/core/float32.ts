/**
 * The double whose shortest decimal form is the shortest that reads back as this float32: 0.1f gives 0.1, not
 * 0.10000000149011612. Nine significant digits always suffice for a float32.
 */
export function shortestFloat32(value: number): number {
  if (!Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) <= EXACT_INTEGERS)) return value;
  for (let digits = 1; digits < 9; digits++) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate;
  }
  return Number(value.toPrecision(9));
}

/** Up to here float32 holds every integer, so all of an integer's digits are needed. */
const EXACT_INTEGERS = 2 ** 24;
