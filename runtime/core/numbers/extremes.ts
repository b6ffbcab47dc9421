/**
 * Returns the maximum of any number of values: like `Math.max`, -Infinity for an empty list, and
 * NaN if a value is NaN.
 */
export function greatest(values: Iterable<number>): number {
  let found = -Infinity;
  for (const value of values) found = Math.max(found, value);
  return found;
}

/**
 * Returns the minimum of any number of values: like `Math.min`, Infinity for an empty list, and NaN
 * if a value is NaN.
 */
export function least(values: Iterable<number>): number {
  let found = Infinity;
  for (const value of values) found = Math.min(found, value);
  return found;
}
