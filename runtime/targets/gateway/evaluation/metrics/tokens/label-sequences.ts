import { inputError } from '#contract/errors.ts';
import { type Metric, type MetricMaker, type MetricRow, metricResult, withoutRows } from '../metric.ts';
import type { SavedTally } from '../averages.ts';
import { lenientSpans, spanCounts, strictSpans } from './spans.ts';

/**
 * A row with one label per token, for example `["B-PER", "I-PER", "O"]`. Null means that the model gave no
 * response: no span is found, and every token is wrong.
 */
export type LabelSequenceRow = MetricRow<readonly string[] | null, readonly string[]>;

export interface LabelSequenceOptions {
  /** seqeval mode: `strict` reads labels in the IOB2 scheme, `default` accepts any scheme. */
  readonly mode?: 'default' | 'strict';
}

type Saved = {
  readonly rows: number;
  readonly tokens: number;
  readonly right: number;
  readonly spans: SavedTally;
};

/**
 * Precision, recall and F1 over spans, as in seqeval (`zero_division=0`), and the share of tokens with the
 * correct label.
 */
export const labelSequences: MetricMaker<LabelSequenceRow, LabelSequenceOptions> = (
  { mode = 'default' },
  json,
): Metric<LabelSequenceRow> => {
  const saved = json as Saved | undefined;
  const spansOf = mode === 'strict' ? strictSpans : lenientSpans;
  const spans = spanCounts(saved?.spans);
  let { rows, tokens, right } = saved ?? { rows: 0, tokens: 0, right: 0 };
  return {
    add: ({ prediction, reference }) => {
      if (prediction && prediction.length !== reference.length) throw unevenRow(prediction, reference);
      const f1 = spans.add(prediction && spansOf(prediction), spansOf(reference));
      const hits = prediction?.filter((label, at) => label === reference[at]).length ?? 0;
      rows += 1;
      tokens += reference.length;
      right += hits;
      const accuracy = reference.length === 0 ? {} : { token_accuracy: hits / reference.length };
      return { span_f1_micro: f1, ...accuracy };
    },
    result: () => {
      const numbers = { ...spans.numbers(), token_accuracy: tokens === 0 ? NO_TOKENS : right / tokens };
      return metricResult(rows === 0 ? withoutRows(numbers) : numbers, {
        rows,
        tokens,
        per_label: spans.table(),
      });
    },
    save: (): Saved => ({ rows, tokens, right, spans: spans.save() }),
  };
};

const NO_TOKENS = 'No row has tokens.';

const unevenRow = (prediction: readonly string[], reference: readonly string[]): Error =>
  inputError(
    `${prediction.length} tokens have a predicted label and ${reference.length} have a true label. Provide both for each token.`,
  );
