/** The index of the first value that is NaN or infinite; JSON cannot carry such numbers. */
export function findNotFinite(values: Float32Array): number | undefined {
  for (let index = 0; index < values.length; index++) if (!Number.isFinite(values[index])) return index;
  return undefined;
}

/** The place of an element in a tensor of this shape. Axes count from 1, as in Lua. */
export function placeOf(index: number, shape: readonly number[]): number[] {
  const place: number[] = [];
  let rest = index;
  for (const size of shape.toReversed()) {
    place.unshift((rest % size) + 1);
    rest = Math.floor(rest / size);
  }
  return place;
}
