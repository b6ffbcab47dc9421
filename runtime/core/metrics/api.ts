/** Any result of `JSON.parse`. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

/**
 * The scores of one row alone. Each has the name of the value in `MetricResult` that it speaks for (`accuracy`, `rouge1_mean`),
 * which need not be its mean: `bleu` of a row is the sentence's own, `bleu` of the result that of the corpus. Comparisons
 * resample these. A row that says nothing about a value leaves it out.
 */
export type RowScores = Readonly<Record<string, number>>;

export interface MetricResult {
  /** In snake_case, every name at every time; `null` where the rows do not define the number, as JSON has no NaN. */
  readonly values: Readonly<Record<string, number | null>>;
  /** For each `null` of `values` a sentence that says why. */
  readonly reasons: Readonly<Record<string, string>>;
  /** What is no single number: tables per label, a confusion matrix. */
  readonly detail: Json;
}

/** Counts as rows go by. What it holds depends on labels and options, never on the number of rows, or its maker says so. */
export interface Metric<Row> {
  /** Throws an AppError for a row that it cannot take, and is then as it was before. */
  readonly add: (row: Row) => RowScores;
  /** Of the rows so far; may be asked at any time, more rows may follow. */
  readonly result: () => MetricResult;
  /** All that it knows, for the same maker with the same options. */
  readonly save: () => Json;
}

/** Makes a metric that has seen nothing, or one that goes on where `saved` was written. */
export type MetricMaker<Row, Options = object> = (options: Options, saved?: Json) => Metric<Row>;

/** A row as most metrics read it; each metric says what more it wants of one. */
export interface MetricRow<Prediction, Reference = Prediction> {
  readonly prediction: Prediction;
  readonly reference: Reference;
}
