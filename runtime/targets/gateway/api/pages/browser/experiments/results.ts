/** An API response, as far as the pages use it. */
interface Interval {
  readonly low: number;
  readonly high: number;
}

/** An API response, as far as the pages use it. */
interface Metric {
  readonly value: number;
  readonly rows: number;
  readonly answered: number;
  readonly interval: Interval | null;
}

/** An API response, as far as the pages use it. */
export interface Workflow {
  readonly id: string;
  readonly name: string;
  readonly model: string;
  readonly provider: string;
  readonly status: 'created' | 'running' | 'succeeded' | 'failed';
  readonly error: string | null;
  readonly rows: number;
  readonly answered_rows: number;
  readonly failed_rows: number;
  readonly metrics: Record<string, Metric>;
  readonly cost: number | null;
  readonly cost_per_row: number | null;
  readonly tokens_per_row: number | null;
  readonly rows_per_second: number | null;
  readonly latency_ms: { mean: number; p50: number; p95: number } | null;
}

/** An API response, as far as the pages use it. */
export interface Pair {
  readonly metric: string;
  readonly first: string;
  readonly second: string;
  readonly difference: number | null;
  readonly interval: Interval | null;
  readonly rows: number;
  readonly p_value: number | null;
  readonly adjusted_p_value: number | null;
}

/** An API response, as far as the pages use it. */
export interface Comparison {
  readonly experiment: { id: string; name: string; dataset: string; task_definition: { task: string } };
  readonly partial: boolean;
  readonly metrics: readonly string[];
  readonly workflows: readonly Workflow[];
  readonly pairs: readonly Pair[];
  readonly disagreements: { total: number } | null;
}

/** An API response, as far as the pages use it. */
type CurvePoint = readonly [number, number];

/** An API response, as far as the pages use it. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

/** An API response, as far as the pages use it. */
interface WorkflowPlots {
  readonly id: string;
  readonly name: string;
  readonly confusion: { labels: readonly string[]; matrix: readonly (readonly number[])[] } | null;
  readonly curves: {
    rows: number;
    roc_auc: number | null;
    average_precision: number | null;
    roc: readonly CurvePoint[];
    precision_recall: readonly CurvePoint[];
    calibration: readonly { rows: number; predicted: number; observed: number }[];
  } | null;
  readonly scores: readonly Bin[];
  readonly latency: readonly Bin[];
  readonly lengths: readonly (Bin & { mean: number })[];
}

/** An API response, as far as the pages use it. */
export interface Plots {
  readonly metrics: readonly string[];
  readonly metric: string | null;
  readonly labels: readonly string[];
  readonly label: string | null;
  readonly workflows: readonly WorkflowPlots[];
}

/** An API response, as far as the pages use it. */
export interface ModelRow {
  readonly answer: unknown;
  readonly error: string | null;
  readonly latency_ms: number | null;
  readonly scores: Record<string, number>;
  readonly reasons: Record<string, string>;
}

/** An API response, as far as the pages use it. */
export interface ResultRow {
  readonly row: number;
  readonly example: string;
  readonly ground_truth: unknown;
  readonly differs: boolean;
  readonly models: Record<string, ModelRow>;
}

/** An API response, as far as the pages use it. */
export interface JobProgress {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly total_rows: number;
  readonly done_rows: number;
  readonly failed_rows: number;
  readonly queued_reason: string | null;
  readonly workers: readonly {
    worker: string;
    first_row: number;
    rows: number;
    done_rows: number;
    failed_rows: number;
  }[];
}

/** An API response, as far as the pages use it. */
export interface Progress {
  readonly active: boolean;
  readonly workflows: readonly {
    id: string;
    name: string;
    status: string;
    error: string | null;
    jobs: readonly JobProgress[];
  }[];
}

/** A model response as text. Lists and objects are shown as JSON. */
export const answerText = (answer: unknown) =>
  answer === null || answer === undefined ? '' : typeof answer === 'string' ? answer : JSON.stringify(answer);

/** Metrics for which lower values are better. */
const LOWER_IS_BETTER = /^(log_loss|brier_score|ece|hamming_loss|wer|cer)(_|$)/;

export const isLowerBetter = (metric: string) => LOWER_IS_BETTER.test(metric);

/** A metric with three digits, as in command-line tables. */
export const metricText = (value: number | null | undefined) =>
  value === null || value === undefined ? '–' : Math.abs(value) >= 1000 ? value.toFixed(0) : value.toFixed(3);

export const intervalText = (interval: { low: number; high: number } | null | undefined) =>
  interval ? `[${metricText(interval.low)}, ${metricText(interval.high)}]` : '';

/** A p-value, formatted. */
export const probabilityText = (p: number | null) => (p === null ? '–' : p < 0.001 ? '<0.001' : p.toFixed(3));

/** Differences with a lower adjusted p-value are significant. */
export const SIGNIFICANT = 0.05;
