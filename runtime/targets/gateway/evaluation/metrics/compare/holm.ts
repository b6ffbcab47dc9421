/** Adjusts the p-values of simultaneous tests with Holm's method, in the given order. */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((value, at) => ({ value, at })).sort((one, other) => one.value - other.value);
  const adjusted = Array.from(pValues, () => 0);
  let largest = 0;
  for (const [rank, { value, at }] of order.entries()) {
    largest = Math.max(largest, Math.min(1, value * (order.length - rank)));
    adjusted[at] = largest;
  }
  return adjusted;
}
