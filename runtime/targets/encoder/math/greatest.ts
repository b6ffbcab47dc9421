/** Above this number, sorting everything is faster than keeping a sorted list. */
const MAX_KEPT = 64;

/** The `count` items with the largest values, largest first; among equal values, the first items. */
export function greatestItems(
  items: Iterable<number>,
  valueOf: (item: number) => number,
  count: number,
): number[] {
  if (count > MAX_KEPT) {
    return [...items].sort((left, right) => valueOf(right) - valueOf(left)).slice(0, count);
  }
  const kept: number[] = [];
  for (const item of items) {
    const value = valueOf(item);
    let at = kept.length;
    while (at > 0 && valueOf(kept[at - 1] ?? 0) < value) at--;
    if (at === count) continue;
    kept.splice(at, 0, item);
    if (kept.length > count) kept.pop();
  }
  return kept;
}
