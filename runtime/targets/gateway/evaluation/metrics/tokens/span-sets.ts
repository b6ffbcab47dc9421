import { inputError } from '#contract/errors.ts';
import type { Metric, MetricMaker, MetricRow } from '../metric.ts';
import type { SavedTally } from '../label-tally.ts';
import { metricResult, withoutRows } from '../result.ts';
import type { Span } from './span.ts';
import { spanCounts } from './span-counts.ts';

/** A row with the spans of a text; duplicates count once. Null means no answer: no span is found. */
export type SpanRow = MetricRow<readonly Span[] | null, readonly Span[]>;

type Saved = { readonly rows: number; readonly spans: SavedTally };

/** Precision, recall and F1 over spans; a span is correct if start, end and label match. */
export const spanSets: MetricMaker<SpanRow> = (_options, json): Metric<SpanRow> => {
  const saved = json as Saved | undefined;
  const spans = spanCounts(saved?.spans);
  let rows = saved?.rows ?? 0;
  return {
    add: ({ prediction, reference }) => {
      for (const span of [...(prediction ?? []), ...reference]) checkSpan(span);
      rows += 1;
      return { span_f1_micro: spans.add(prediction, reference) };
    },
    result: () => {
      const numbers = spans.numbers();
      return metricResult(rows === 0 ? withoutRows(numbers) : numbers, { rows, per_label: spans.table() });
    },
    save: (): Saved => ({ rows, spans: spans.save() }),
  };
};

function checkSpan({ start, end }: Span): void {
  if (Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end) return;
  throw inputError(`Invalid span from ${start} to ${end}. Both must be integers with 0 <= start < end.`);
}
