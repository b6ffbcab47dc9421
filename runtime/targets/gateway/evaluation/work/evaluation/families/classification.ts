import { AppError, inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import type { AnyJson, Metric, MetricResult } from '../../../metrics/metric.ts';
import { multiLabel } from '../../../metrics/classification/multi-label.ts';
import { singleLabel } from '../../../metrics/classification/single-label.ts';
import { sortedLabels } from '../../../metrics/averages.ts';
import { isUnanswered, type MetricFamily, type Sample, type Scorer } from '../evaluation.ts';
import { asIs, averagesOf, each, none, only, startingWith } from '../scorer.ts';
import { cellLabels, scoresOf } from '../read-cells.ts';

type Kind = 'one' | 'many';
interface Saved {
  readonly kind: Kind;
  readonly counted: AnyJson;
  readonly known: readonly string[];
}

const MAX_LABELS = 10_000;
/** Minimum score of a predicted label if a row can have any number of labels. */
const THRESHOLD = 0.5;

/** Classification with one label per row, or with any number of labels if the first row's ground truth is a list. */
export const classification: MetricFamily = {
  name: 'classification',
  metrics: {
    accuracy: only('accuracy', 'subset_accuracy'),
    precision: startingWith('precision_'),
    recall: startingWith('recall_'),
    f1: startingWith('f1_'),
    ...each([
      'balanced_accuracy',
      'mcc',
      'cohen_kappa',
      'subset_accuracy',
      'hamming_loss',
      'f1_samples',
      ...averagesOf(),
    ]),
    confusion_matrix: none,
    per_label: none,
  },
  needs: [],
  shownAs: asIs,
  open(_tools, json) {
    const saved = json as Saved | undefined;
    let counter = saved && counterOf(saved.kind, saved.counted);
    let known = new Set(saved?.known);
    const labels = new Set<string>();
    const add = (sample: Sample) => {
      const truth = cellLabels(sample.truth);
      const scores = scoresOf(sample.row);
      counter ??= counterOf(typeof truth === 'string' ? 'one' : 'many', undefined);
      const row = rowOf(counter.kind, truth, sample, scores);
      for (const label of [row.truth, row.prediction ?? []].flat()) labels.add(label);
      if (labels.size > MAX_LABELS) throw tooManyLabels();
      if (known.size === 0 && scores) known = new Set(Object.keys(scores));
      return counter.add(row);
    };
    return {
      prepare: async (samples) => samples.map((sample) => () => add(sample)),
      result: () => withUnknownLabels((counter ?? counterOf('one', undefined)).result(), known),
      save: (): AnyJson =>
        counter ? { kind: counter.kind, counted: counter.save(), known: [...known] } : null,
    } satisfies Scorer;
  },
};

interface Labeled {
  readonly truth: string | readonly string[];
  /** Null if the model gave no response. */
  readonly prediction: string | readonly string[] | null;
}

interface Counter extends Omit<Metric<Labeled>, 'add'> {
  readonly kind: Kind;
  readonly add: Metric<Labeled>['add'];
}

function counterOf(kind: Kind, saved: AnyJson | undefined): Counter {
  if (kind === 'one') {
    const metric = singleLabel({}, saved);
    const add: Counter['add'] = ({ prediction, truth }) =>
      metric.add({ prediction: prediction === null ? null : String(prediction), reference: String(truth) });
    return { ...metric, kind, add };
  }
  const metric = multiLabel({}, saved);
  const add: Counter['add'] = ({ prediction, truth }) =>
    metric.add({ prediction: prediction === null ? null : [prediction].flat(), reference: [truth].flat() });
  return { ...metric, kind, add };
}

function rowOf(
  kind: Kind,
  truth: string | readonly string[],
  sample: Sample,
  scores: Readonly<Record<string, number>> | undefined,
): Labeled {
  if ((typeof truth === 'string') !== (kind === 'one')) {
    throw inputError(
      'Some rows have one label as ground truth and others have a list of labels. Use the same form in all rows.',
    );
  }
  if (isUnanswered(sample)) return { truth, prediction: null };
  const predicted = cellLabels(sample.prediction);
  if (kind === 'one')
    return { truth, prediction: typeof predicted === 'string' ? predicted : predicted.join(', ') };
  const likely = scores && Object.keys(scores).filter((label) => (scores[label] ?? 0) >= THRESHOLD);
  return { truth, prediction: likely ?? predicted };
}

/**
 * Adds ground truth labels that the model does not have, which can never be predicted, and model labels that
 * no row tests.
 */
function withUnknownLabels(result: MetricResult, known: ReadonlySet<string>): MetricResult {
  const { detail } = result;
  const table = isObject(detail) && Array.isArray(detail['per_label']) ? detail['per_label'] : [];
  const counted: readonly { label: string; support: number }[] = table;
  const actual = counted.filter(({ support }) => support > 0).map(({ label }) => label);
  if (known.size === 0 || actual.length === 0 || !isObject(detail)) return result;
  return {
    ...result,
    detail: {
      ...(detail as Readonly<Record<string, AnyJson>>),
      labels_unknown_to_the_model: actual.filter((label) => !known.has(label)),
      labels_without_rows: sortedLabels(known.difference(new Set(actual))),
    },
  };
}

const tooManyLabels = (): AppError =>
  new AppError(
    'TooLargeError',
    `There are more than ${MAX_LABELS} different labels. If the responses are free text, use the task text-generation.`,
  );
