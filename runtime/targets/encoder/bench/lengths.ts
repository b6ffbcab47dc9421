/** Lengths of texts to measure, in tokens: up to the maximum of the model. */
export const lengthsUpTo = (maxLength: number): number[] => [
  ...LENGTHS.filter((length) => length < maxLength),
  maxLength,
];

const LENGTHS = [16, 64, 256, 1024, 4096];
