/** Any value that `JSON.parse` can return. */
export type AnyJson =
  | string
  | number
  | boolean
  | null
  | readonly AnyJson[]
  | { readonly [key: string]: AnyJson | undefined };

/**
 * A single row's scores, keyed by the name of the value in `MetricResult` that they belong to (`accuracy`,
 * `rouge1_mean`). That value is not necessarily their mean: a row's `bleu` is the sentence score, the
 * result's `bleu` is the corpus score. Comparisons resample these scores. A row without a score for a value
 * omits it.
 */
export type RowScores = Readonly<Record<string, number>>;

export interface MetricResult {
  /**
   * Values by snake_case name, always with every name; `null` if the rows do not define the value, because
   * JSON has no NaN.
   */
  readonly values: Readonly<Record<string, number | null>>;
  /** The reason for each `null` in `values`, as a sentence. */
  readonly reasons: Readonly<Record<string, string>>;
  /** Details that are not single numbers: per-label tables, a confusion matrix. */
  readonly detail: AnyJson;
}

/**
 * An incremental metric. Its memory depends on labels and options, never on the number of rows, unless
 * documented otherwise.
 */
export interface Metric<Row> {
  /** Adds a row. Throws an AppError for an invalid row, which leaves the state unchanged. */
  readonly add: (row: Row) => RowScores;
  /** The result for the rows so far; more rows can be added. */
  readonly result: () => MetricResult;
  /** The complete state, from which the same factory with the same options can continue. */
  readonly save: () => AnyJson;
}

/** Creates an empty metric, or one that continues from `saved`. */
export type MetricMaker<Row, Options = object> = (options: Options, saved?: AnyJson) => Metric<Row>;

/** A row with the members that most metrics read; each metric documents any others. */
export interface MetricRow<Prediction, Reference = Prediction> {
  readonly prediction: Prediction;
  readonly reference: Reference;
}

/** A number, or the reason why it is undefined for these rows. */
export type NumberOrReason = number | string;

/** Builds a result in which every number is finite, or is `null` and has a reason. */
export function metricResult(
  numbers: Readonly<Record<string, NumberOrReason>>,
  detail: AnyJson = null,
): MetricResult {
  const values: Record<string, number | null> = {};
  const reasons: Record<string, string> = {};
  for (const [name, value] of Object.entries(numbers)) {
    const isNumber = typeof value === 'number' && Number.isFinite(value);
    values[name] = isNumber ? value : null;
    if (!isNumber) reasons[name] = typeof value === 'string' ? value : NOT_FINITE;
  }
  return { values, reasons, detail };
}

/** Returns the same names, with all values undefined. */
export const withoutRows = (numbers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.keys(numbers).map((name) => [name, NO_ROWS]));

const NO_ROWS = 'No row was scored.';
const NOT_FINITE = 'The result is not a finite number.';
