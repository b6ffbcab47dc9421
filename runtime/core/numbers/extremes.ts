/**
 * The maximum of any number of values; -Infinity if there are none, and NaN if one is NaN, like
 * `Math.max`.
 */
export function greatest(values: Iterable<number>): number {
  let found = -Infinity;
  for (const value of values) found = Math.max(found, value);
  return found;
}

/**
 * The minimum of any number of values; Infinity if there are none, and NaN if one is NaN, like
 * `Math.min`.
 */
export function least(values: Iterable<number>): number {
  let found = Infinity;
  for (const value of values) found = Math.min(found, value);
  return found;
}
