/**
 * Cosine of the angle between two vectors; 0 if one of them is a zero vector.
 * @param {readonly number[]} left
 * @param {readonly number[]} right
 */
export function cosine(left, right) {
  let [dot, leftSquares, rightSquares] = [0, 0, 0];
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? 0;
    dot += value * other;
    leftSquares += value * value;
    rightSquares += other * other;
  }
  const lengths = Math.sqrt(leftSquares * rightSquares);
  return lengths === 0 ? 0 : dot / lengths;
}
