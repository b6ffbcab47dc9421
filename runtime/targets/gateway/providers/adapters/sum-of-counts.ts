import { isCount } from '#core/numbers/is-count.ts';

/** Sums counts that a provider reports separately: undefined if none is present, NaN if one is invalid. */
export function sumOfCounts(...counts: readonly unknown[]): number | undefined {
  const present = counts.filter((count) => count !== undefined && count !== null);
  if (present.length === 0) return undefined;
  return present.reduce<number>((sum, count) => sum + (isCount(count) ? count : Number.NaN), 0);
}
