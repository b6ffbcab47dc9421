import type { Json, RowScores } from '../metric.ts';

interface RunningMeans {
  readonly add: (scores: RowScores) => void;
  readonly isEmpty: () => boolean;
  readonly numbers: () => Record<string, number>;
  readonly save: () => Json;
}

interface Saved {
  readonly rows: number;
  readonly sums: Readonly<Record<string, number>>;
}

/** Mean of each score over all rows, under the name of the score. */
export function runningMeans(names: readonly string[], json?: Json): RunningMeans {
  const saved = json as Saved | undefined;
  const sums = new Map(names.map((name) => [name, saved?.sums[name] ?? 0]));
  let rows = saved?.rows ?? 0;
  return {
    add(scores) {
      for (const [name, sum] of sums) sums.set(name, sum + (scores[name] ?? 0));
      rows += 1;
    },
    isEmpty: () => rows === 0,
    numbers: () => Object.fromEntries(Array.from(sums, ([name, sum]) => [name, sum / rows])),
    save: () => ({ rows, sums: Object.fromEntries(sums) }),
  };
}
