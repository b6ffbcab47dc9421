/** The F-measure of precision and recall; 0 if their sum is not positive, because cosines can be negative. */
export const harmonicMean = (precision: number, recall: number): number =>
  precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
