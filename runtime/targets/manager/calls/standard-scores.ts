/** Returns how many standard deviations each value is above the mean; undefined for unknown values, or if all values are equal. */
export function standardScores(values: readonly (number | undefined)[]): readonly (number | undefined)[] {
  const known = values.filter((value) => value !== undefined);
  const mean = sum(known) / known.length;
  const deviation = Math.sqrt(sum(known.map((value) => (value - mean) ** 2)) / known.length);
  return values.map((value) =>
    value === undefined || deviation === 0 ? undefined : (value - mean) / deviation,
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
