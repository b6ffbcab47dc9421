import type { EvaluationSpec, Failures } from '../work.ts';
import { AppError } from '#contract/errors.ts';
import type { Metric, RowScores } from '../../metrics/metric.ts';
import type { CountRow, Sample, Scorer } from './evaluation.ts';

/** Selects values by name. */
export const only =
  (...names: readonly string[]) =>
  (value: string): boolean =>
    names.includes(value);

export const all = (): boolean => true;
export const none = (): boolean => false;
export const startingWith =
  (prefix: string) =>
  (value: string): boolean =>
    value.startsWith(prefix);

export const asIs = (value: string): string => value;

/** Metrics that each have one value of the same name. */
export const each = (names: readonly string[]): Record<string, (value: string) => boolean> =>
  Object.fromEntries(names.map((name) => [name, only(name)]));

const AVERAGES = ['micro', 'macro', 'weighted'] as const;
export const averagesOf = (prefix = ''): string[] =>
  ['precision', 'recall', 'f1'].flatMap((score) => AVERAGES.map((average) => `${prefix}${score}_${average}`));

/** How to count rows for which the model failed. Evaluations of earlier versions skipped them. */
export const failuresOf = ({ failures }: Pick<EvaluationSpec, 'failures'>): Failures => failures ?? 'skipped';

/** Reads samples one after the other, and lets other work run in between. Errors count for their row alone. */
export async function readInTurn<Row>(
  samples: readonly Sample[],
  { signal, yieldToOthers }: { readonly signal: AbortSignal; readonly yieldToOthers: () => Promise<void> },
  read: (sample: Sample) => Row | Promise<Row>,
  count: (row: Row) => RowScores,
): Promise<CountRow[]> {
  const counts: CountRow[] = [];
  for (const sample of samples) {
    await yieldToOthers();
    signal.throwIfAborted();
    try {
      const row = await read(sample);
      counts.push(() => count(row));
    } catch (error) {
      counts.push(() => {
        throw AppError.from(error);
      });
    }
  }
  return counts;
}

/** A scorer for a metric that only reads rows. Rows for which `read` returns undefined are skipped. */
export const scorer = <Row>(metric: Metric<Row>, read: (sample: Sample) => Row | undefined): Scorer => ({
  prepare: async (samples) =>
    samples.map((sample) => () => {
      const row = read(sample);
      return row === undefined ? {} : metric.add(row);
    }),
  result: metric.result,
  save: metric.save,
});
