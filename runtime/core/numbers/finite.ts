/** Returns the index of the first NaN or infinite value, which JSON cannot represent. */
export function findNotFinite(values: Float32Array): number | undefined {
  for (let index = 0; index < values.length; index++) if (!Number.isFinite(values[index])) return index;
  return undefined;
}

/** Converts an index to a position in a tensor of this shape. Axes count from 1, as in Lua. */
export function placeOf(index: number, shape: readonly number[]): number[] {
  const place: number[] = [];
  let rest = index;
  for (const size of shape.toReversed()) {
    place.unshift((rest % size) + 1);
    rest = Math.floor(rest / size);
  }
  return place;
}
