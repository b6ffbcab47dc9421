import type { Json } from './metric.ts';
import type { NumberOrReason } from './result.ts';

/** How often a label, or a type of span, was correct, predicted and true. */
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
export function labelTable(counts: readonly LabelCounts[]): Json {
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
