import type { LabelCounts } from '../averages.ts';
import { sortedLabels } from '../sorted-labels.ts';

/** Counts pairs of true and predicted labels. Stores one number per pair that occurs. */
export interface Confusion {
  /** Adds a row; `predicted` is null if the model gave no answer: the true label was missed, and no label was predicted. */
  readonly add: (actual: string, predicted: string | null) => void;
  /** Counts of every label that is true or predicted somewhere, in label order. */
  readonly counts: () => LabelCounts[];
  /** Rows are true labels and columns are predicted labels, both in the order of `labels`. */
  readonly matrix: (labels: readonly string[]) => number[][];
  readonly save: () => SavedConfusion;
}
export type SavedConfusion = readonly (readonly [actual: string, predicted: string | null, rows: number])[];

export function confusion(saved: SavedConfusion = []): Confusion {
  const cells = new Map<string, Map<string | null, number>>();
  const add = (actual: string, predicted: string | null, rows: number): void => {
    const line = cells.get(actual) ?? new Map<string | null, number>();
    cells.set(actual, line);
    line.set(predicted, (line.get(predicted) ?? 0) + rows);
  };
  const all = (): [actual: string, predicted: string | null, rows: number][] =>
    Array.from(cells, ([actual, line]) =>
      Array.from(line, ([predicted, rows]): [string, string | null, number] => [actual, predicted, rows]),
    ).flat();
  for (const cell of saved) add(...cell);

  return {
    add: (actual, predicted) => add(actual, predicted, 1),
    counts: () => countsOf(all()),
    matrix: (labels) =>
      labels.map((actual) => labels.map((predicted) => cells.get(actual)?.get(predicted) ?? 0)),
    save: all,
  };
}

function countsOf(cells: SavedConfusion): LabelCounts[] {
  const labels = sortedLabels(cells.flatMap(([actual, predicted]) => [actual, predicted ?? []].flat()));
  const tallies = new Map(labels.map((label) => [label, { label, hits: 0, predicted: 0, actual: 0 }]));
  for (const [actual, predicted, rows] of cells) {
    const truth = tallies.get(actual);
    const guess = predicted === null ? undefined : tallies.get(predicted);
    if (truth) truth.actual += rows;
    if (guess) guess.predicted += rows;
    if (truth && truth === guess) truth.hits += rows;
  }
  return [...tallies.values()];
}
