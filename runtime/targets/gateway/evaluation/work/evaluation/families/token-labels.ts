import { inputError } from '#contract/errors.ts';
import type { AnyJson } from '../../../metrics/metric.ts';
import { labelSequences } from '../../../metrics/tokens/label-sequences.ts';
import { spanSets } from '../../../metrics/tokens/spans.ts';
import { isUnanswered, type MetricFamily, type Sample } from '../evaluation.ts';
import { asIs, averagesOf, each, none, startingWith } from '../scorer.ts';
import { readTags, type TaggedTokens } from '../read-cells.ts';

/** The column with the spans found by a model, in addition to the word labels. */
export const SPANS = 'spans';

interface Saved {
  readonly kind: TaggedTokens['kind'];
  readonly counted: AnyJson;
}

/** Word labels, counted as in seqeval, or spans in the text, depending on the first row's ground truth. */
export const tokenLabels: MetricFamily = {
  name: 'tokens',
  metrics: {
    span_precision: startingWith('span_precision_'),
    span_recall: startingWith('span_recall_'),
    span_f1: startingWith('span_f1_'),
    ...each(['token_accuracy', ...averagesOf('span_')]),
    per_label: none,
  },
  needs: [],
  shownAs: asIs,
  open(_tools, json) {
    const saved = json as Saved | null | undefined;
    let counter = saved ? counterOf(saved.kind, saved.counted) : undefined;
    const add = (sample: Sample) => {
      const truth = readTags(sample.truth);
      counter ??= counterOf(truth.kind, undefined);
      return counter.add(truth, sample);
    };
    return {
      prepare: async (samples) => samples.map((sample) => () => add(sample)),
      result: () => (counter ?? counterOf('labels', undefined)).result(),
      save: (): AnyJson => (counter ? { kind: counter.kind, counted: counter.save() } : null),
    };
  },
};

function counterOf(kind: TaggedTokens['kind'], saved: AnyJson | undefined) {
  if (kind === 'labels') {
    const metric = labelSequences({}, saved);
    const add = (truth: TaggedTokens, sample: Sample) =>
      metric.add({
        prediction: isUnanswered(sample) ? null : labelsIn(readTags(sample.prediction)),
        reference: labelsIn(truth),
      });
    return { ...metric, kind, add };
  }
  const metric = spanSets({}, saved);
  const add = (truth: TaggedTokens, sample: Sample) =>
    metric.add({
      prediction: isUnanswered(sample) ? null : spansIn(readTags(sample.row[SPANS] ?? sample.prediction)),
      reference: spansIn(truth),
    });
  return { ...metric, kind, add };
}

function labelsIn(tags: TaggedTokens): readonly string[] {
  if (tags.kind === 'labels') return tags.labels;
  // An empty list is valid as a list of labels and as a list of spans.
  if (tags.spans.length === 0) return [];
  throw mixed();
}

function spansIn(tags: TaggedTokens) {
  if (tags.kind === 'spans') return tags.spans;
  throw mixed();
}

const mixed = (): Error =>
  inputError('Some rows have word labels and others have spans. Use the same form in all rows.');
