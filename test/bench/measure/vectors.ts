export function cosine(left: readonly number[], right: readonly number[]): number {
  if (left.length === 0 || left.length !== right.length) {
    throw new Error(`vectors of ${left.length} and ${right.length} numbers cannot be compared`);
  }
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? NaN), 0);
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
}
