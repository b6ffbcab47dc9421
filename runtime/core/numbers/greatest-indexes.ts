/** The indexes of the `count` greatest values, greatest first. Of equal values, the first ones. */
export function greatestIndexes(values: Float32Array, count: number): number[] {
  if (count > MAX_INSERTED) {
    const all = Array.from(values, (_, index) => index);
    return all.sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0)).slice(0, count);
  }
  const found: number[] = [];
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0;
    let at = found.length;
    while (at > 0 && value > (values[found[at - 1] ?? 0] ?? 0)) at -= 1;
    if (at >= count) continue;
    found.splice(at, 0, index);
    if (found.length > count) found.pop();
  }
  return found;
}

/** Inserting few values is faster than sorting all of them. */
const MAX_INSERTED = 32;
