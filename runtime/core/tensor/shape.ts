type Shape = readonly number[];

export function elementsIn(shape: Shape): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Number of elements, with empty axes counted as 1, because the other axes can still be long. */
export function extentOf(shape: Shape): number {
  return elementsIn(shape.map((size) => Math.max(size, 1)));
}

export function isSameShape(left: Shape, right: Shape): boolean {
  return left.length === right.length && left.every((size, axis) => size === right[axis]);
}

/** Formats a shape: [2, 3]; dynamic axes have names. */
export function describeShape(shape: readonly (number | string)[]): string {
  return `[${shape.join(', ')}]`;
}

/** Throws unless each size is valid. */
export function checkSizes(sizes: Shape, what: string): void {
  const wrong = sizes.find((size) => !Number.isInteger(size) || size < 0);
  if (wrong === undefined) return;
  throw new Error(
    `${what}: invalid size ${wrong} in ${describeShape(sizes)}: sizes must be integers of at least 0.`,
  );
}
