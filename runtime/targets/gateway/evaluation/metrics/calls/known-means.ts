import { type AnyJson, type Metric, type RowScores, metricResult } from '../metric.ts';

interface Saved {
  readonly sums: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
}

/** A metric whose values are the means over the rows that have the score. */
export function knownMeans<Row>(
  names: readonly string[],
  score: (row: Row) => RowScores,
  json?: AnyJson,
): Metric<Row> {
  const saved = json as Saved | undefined;
  const sums = new Map(names.map((name) => [name, saved?.sums[name] ?? 0]));
  const counts = new Map(names.map((name) => [name, saved?.counts[name] ?? 0]));
  return {
    add(row) {
      const scores = score(row);
      for (const name of names) {
        const value = scores[name];
        if (value === undefined) continue;
        sums.set(name, (sums.get(name) ?? 0) + value);
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      return scores;
    },
    result: () =>
      metricResult(
        Object.fromEntries(
          names.map((name) => {
            const count = counts.get(name) ?? 0;
            return [name, count === 0 ? 'No row has this score.' : (sums.get(name) ?? 0) / count];
          }),
        ),
      ),
    save: () => ({ sums: Object.fromEntries(sums), counts: Object.fromEntries(counts) }),
  };
}
