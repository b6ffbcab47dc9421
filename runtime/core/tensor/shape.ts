type Shape = readonly number[];

export function elementsIn(shape: Shape): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** The same where nothing is empty; an empty axis counts as 1, as others beside it may still be long. */
export function extentOf(shape: Shape): number {
  return elementsIn(shape.map((size) => Math.max(size, 1)));
}

export function isSameShape(left: Shape, right: Shape): boolean {
  return left.length === right.length && left.every((size, axis) => size === right[axis]);
}

/** As people write it: [2, 3]; an axis of any size has a name. */
export function describeShape(shape: readonly (number | string)[]): string {
  return `[${shape.join(', ')}]`;
}

/** Throws unless each is a size that an axis may have. */
export function checkSizes(sizes: Shape, what: string): void {
  const wrong = sizes.find((size) => !Number.isInteger(size) || size < 0);
  if (wrong === undefined) return;
  throw new Error(
    `${what}: invalid size ${wrong} in ${describeShape(sizes)}: sizes must be integers of at least 0.`,
  );
}
