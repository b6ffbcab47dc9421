const PERCENT = new Intl.NumberFormat('en', {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** Formats a share as a percentage, such as 97.3%; never "0.0%" for a share above zero. */
export const percent = (share: number) => (share > 0 && share < 0.0005 ? '<0.1%' : PERCENT.format(share));

export const milliseconds = (value: number) => `${value.toFixed(value < 9.95 ? 1 : 0)} ms`;

/** Formats a cosine similarity, with a minus sign that is as wide as a digit. */
export const cosineText = (value: number) => value.toFixed(2).replace('-0.00', '0.00').replace('-', '\u2212');

/** Cosine of the angle between two vectors; 0 if one of them is a zero vector. */
export function cosine(left: readonly number[], right: readonly number[]) {
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
