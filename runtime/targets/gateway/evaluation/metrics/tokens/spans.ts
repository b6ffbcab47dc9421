import { inputError } from '#contract/errors.ts';
import { trimOf } from '#core/text/trim-text.ts';
import { averages, labelTable, labelTally, type SavedTally } from '../averages.ts';
import { type Metric, type MetricMaker, type MetricRow, metricResult, withoutRows } from '../metric.ts';

/**
 * Finds a row's spans like seqeval with `mode="strict", scheme=IOB2`: from a `B-` through the following `I-`
 * of the same type.
 */
export function strictSpans(labels: readonly string[]): LabeledSpan[] {
  const spans: LabeledSpan[] = [];
  let open: LabeledSpan | undefined;
  for (const [at, label] of labels.entries()) {
    const type = typeOf(label);
    if (label.startsWith('I') && open?.label === type) {
      open = { ...open, end: at + 1 };
      continue;
    }
    if (open) spans.push(open);
    open = label.startsWith('B') ? { start: at, end: at + 1, label: type } : undefined;
  }
  return open ? [...spans, open] : spans;
}

function typeOf(label: string): string {
  if (/^[BIO]/.test(label)) return trimOf(label.slice(1), '-') || '_';
  throw inputError(
    `The label ${JSON.stringify(label)} does not follow the IOB2 scheme, whose labels start with B, I or O. Use the mode "default".`,
  );
}

/** A labeled range of a row's tokens or text. `end` is exclusive. */
export interface LabeledSpan {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/** Counts spans; a span is correct if start, end and label match. */
export function spanCounts(saved?: SavedTally) {
  const tally = labelTally(saved);
  return {
    /**
     * Adds a row and returns its F1. A row without true or predicted spans is correct, unless the model gave
     * no response.
     */
    add: (prediction: readonly LabeledSpan[] | null, reference: readonly LabeledSpan[]): number => {
      const predicted = new Set(prediction?.map(keyOf));
      const actual = new Set(reference.map(keyOf));
      tally.add(predicted, actual, labelOf);
      const size = predicted.size + actual.size;
      if (prediction === null) return 0;
      return size === 0 ? 1 : (2 * predicted.intersection(actual).size) / size;
    },
    numbers: () => averages(tally.counts(), 'span_'),
    table: () => labelTable(tally.counts()),
    save: tally.save,
  };
}

const keyOf = ({ start, end, label }: LabeledSpan): string => `${start} ${end} ${label}`;
const labelOf = (key: string): string => key.replace(/^\S+ \S+ /, '');

/**
 * A row with the spans in a text; duplicates count once. Null means that the model gave no response: no span
 * is found.
 */
type SpanRow = MetricRow<readonly LabeledSpan[] | null, readonly LabeledSpan[]>;

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

function checkSpan({ start, end }: LabeledSpan): void {
  if (Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end) return;
  throw inputError(`Invalid span from ${start} to ${end}. Both must be integers with 0 <= start < end.`);
}

/**
 * Finds a row's spans like `conlleval` and seqeval's default mode: an `I-` without a start begins a span,
 * `E-` ends one, `S-` is a whole span, and the type of a label without a hyphen follows its first letter.
 * Rows are independent, unlike in seqeval, where a row that starts with a lone `-` continues the previous
 * row.
 */
export function lenientSpans(labels: readonly string[]): LabeledSpan[] {
  const spans: LabeledSpan[] = [];
  let start = 0;
  let before: Tag = OUTSIDE;
  for (const [at, tag] of [...labels.map(tagOf), OUTSIDE].entries()) {
    if (ends(before, tag)) spans.push({ start, end: at, label: before.type });
    if (starts(before, tag)) start = at;
    before = tag;
  }
  return spans;
}

const OUTSIDE: Tag = { prefix: 'O', type: '_' };

const ends = (before: Tag, tag: Tag): boolean =>
  'ES'.includes(before.prefix) ||
  ('BI'.includes(before.prefix) && 'BSO'.includes(tag.prefix)) ||
  (isInside(before) && before.type !== tag.type);

const starts = (before: Tag, tag: Tag): boolean =>
  'BS'.includes(tag.prefix) ||
  ('ESO'.includes(before.prefix) && 'EI'.includes(tag.prefix)) ||
  (isInside(tag) && before.type !== tag.type);

const isInside = ({ prefix }: Tag): boolean => prefix !== 'O' && prefix !== '.';

/** The two parts of a token label such as `B-PER`. */
interface Tag {
  /** The prefix: one character. */
  readonly prefix: string;
  /** The type; `_` if there is none, as in `B` or `O`. */
  readonly type: string;
}

/** The type follows the first hyphen after the first character; without a hyphen, it is the rest of the label. */
function tagOf(label: string): Tag {
  const prefix = String.fromCodePoint(label.codePointAt(0) ?? nothing());
  const rest = label.slice(prefix.length);
  return { prefix, type: rest.slice(rest.indexOf('-') + 1) || '_' };
}

function nothing(): never {
  throw inputError('A token has an empty label. Use the label "O" for tokens outside spans.');
}
