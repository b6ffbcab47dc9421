import type { AnyJson, NumberOrReason } from './metric.ts';

/** How often a label, or a span type, was correct, predicted and true. */
export interface LabelCounts {
  readonly label: string;
  readonly hits: number;
  readonly predicted: number;
  readonly actual: number;
}

/**
 * Precision, recall and F1 over labels: `micro` counts all labels together, `macro` is the mean over labels, `weighted` is
 * weighted by the support of each label. Division by zero gives 0, like `zero_division=0` in scikit-learn and seqeval.
 */
export function averages(counts: readonly LabelCounts[], prefix = ''): Record<string, NumberOrReason> {
  const scores = counts.map(scoresOf);
  const actual = sum(counts.map((count) => count.actual));
  const together = scoresOf({
    hits: sum(counts.map((count) => count.hits)),
    predicted: sum(counts.map((count) => count.predicted)),
    actual,
  });
  return Object.fromEntries(
    SCORES.flatMap((name): [string, NumberOrReason][] => {
      const ofLabels = scores.map((score) => score[name]);
      const weighted = sum(ofLabels.map((score, at) => score * (counts[at]?.actual ?? 0)));
      return [
        [`${prefix}${name}_micro`, together[name]],
        [`${prefix}${name}_macro`, counts.length === 0 ? NO_LABELS : sum(ofLabels) / counts.length],
        [`${prefix}${name}_weighted`, actual === 0 ? 0 : weighted / actual],
      ];
    }),
  );
}

/** One line per label; `support` is how often the label is true. */
export function labelTable(counts: readonly LabelCounts[]): AnyJson {
  return counts.map((count) => ({
    label: count.label,
    ...scoresOf(count),
    support: count.actual,
    predicted: count.predicted,
  }));
}

const SCORES = ['precision', 'recall', 'f1'] as const;
const NO_LABELS = 'Neither the predictions nor the references have a label.';

function scoresOf({ hits, predicted, actual }: Omit<LabelCounts, 'label'>) {
  return {
    precision: ratio(hits, predicted),
    recall: ratio(hits, actual),
    f1: ratio(2 * hits, predicted + actual),
  };
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Incremental counts per label. */
interface LabelTally {
  readonly add: (predicted: ReadonlySet<string>, actual: ReadonlySet<string>, labelOf: LabelOf) => void;
  /** Counts in label order. */
  readonly counts: () => LabelCounts[];
  readonly save: () => SavedTally;
}
export type SavedTally = readonly (readonly [
  label: string,
  hits: number,
  predicted: number,
  actual: number,
])[];

/** Returns an item's label; an item is what two rows can have in common. */
type LabelOf = (item: string) => string;

export function labelTally(saved: SavedTally = []): LabelTally {
  const tallies = new Map(
    saved.map(([label, hits, predicted, actual]) => [label, { hits, predicted, actual }]),
  );
  const tallyOf = (label: string) => {
    const tally = tallies.get(label) ?? { hits: 0, predicted: 0, actual: 0 };
    tallies.set(label, tally);
    return tally;
  };
  return {
    add: (predicted, actual, labelOf) => {
      for (const item of predicted) {
        const tally = tallyOf(labelOf(item));
        tally.predicted += 1;
        if (actual.has(item)) tally.hits += 1;
      }
      for (const item of actual) tallyOf(labelOf(item)).actual += 1;
    },
    counts: () => sortedLabels(tallies.keys()).map((label) => ({ label, ...tallyOf(label) })),
    save: () =>
      Array.from(tallies, ([label, { hits, predicted, actual }]) => [label, hits, predicted, actual]),
  };
}

/**
 * Sorts labels by code point, as Python tools do. UTF-16 order, which `sort` uses, differs for characters
 * above U+FFFF.
 */
export const sortedLabels = (labels: Iterable<string>): string[] => [...new Set(labels)].sort(byCodePoint);

function byCodePoint(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  for (let at = 0; at < shorter; at++) {
    if (one.charCodeAt(at) === other.charCodeAt(at)) continue;
    return codePointAround(one, at) - codePointAround(other, at);
  }
  return one.length - other.length;
}

/** If the low surrogates of two characters differ, their high surrogates are equal, so either position determines the order. */
const codePointAround = (text: string, at: number): number => text.codePointAt(at) ?? 0;
