/** Of what a provider counts apart: undefined if it tells none of them, no number if it tells one that is no count. */
export function sumOfCounts(...counts: readonly unknown[]): number | undefined {
  const told = counts.filter((count) => count !== undefined && count !== null);
  if (told.length === 0) return undefined;
  return told.reduce<number>((sum, count) => sum + (isCount(count) ? count : Number.NaN), 0);
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
