import type { PairComparison, ScoreInterval } from '../metrics/compare/compare-pair.ts';
import type { DatasetCell } from '../datasets/dataset.ts';
import type { Experiment } from '../experiments/experiment.ts';
import type { Failures } from '../work/work.ts';
import type { WorkflowStatus } from '../../store/workflow-schema.ts';

/** One of a model's metrics, with its confidence interval. */
export interface ComparedMetric extends Pick<ScoreInterval, 'rows' | 'interval'> {
  readonly value: number;
  /** Number of rows that the model responded to. */
  readonly answered: number;
}

export interface Latency {
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
}

export interface ComparedWorkflow {
  readonly id: string;
  readonly name: string;
  readonly model: string;
  readonly provider: string;
  readonly status: WorkflowStatus;
  /** A failed workflow's error. */
  readonly error: string | null;
  readonly rows: number;
  /** Number of rows without a model response. */
  readonly failedRows: number;
  readonly answeredRows: number;
  /** Number of rows whose response came from the experiment's cache. They cost nothing. */
  readonly cachedRows: number;
  /** Number of judge verdicts from that cache. */
  readonly cachedVerdicts: number;
  /** Number of rows with a response that a metric could not score. */
  readonly unscoredRows: number;
  readonly failures: Failures;
  /** Empty unless the workflow has succeeded. */
  readonly metrics: Readonly<Record<string, ComparedMetric>>;
  /** Cost in US dollars; null for models outside this gateway or without a price. */
  readonly cost: number | null;
  /**
   * Cost of the responses divided by the number of rows not from the cache; null without such rows or without
   * a price.
   */
  readonly costPerRow: number | null;
  /** Tokens per row with a response, even if the response came from the cache. */
  readonly tokensPerRow: number | null;
  /** Rows per second that the model processes, not counting rows from the cache. */
  readonly rowsPerSecond: number | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Row latency in milliseconds. */
  readonly latency: Latency | null;
  readonly seconds: number | null;
}

/** The difference in a metric between two workflows: second minus first. */
export interface ComparedPair extends PairComparison {
  readonly metric: string;
  readonly first: string;
  readonly second: string;
  /** The p-value, adjusted for the number of comparisons of this metric (Holm). */
  readonly adjusted: number | null;
}

/** Variation of a number across repetitions. */
export interface Spread {
  readonly mean: number;
  /** Sample standard deviation. */
  readonly deviation: number;
  readonly min: number;
  readonly max: number;
}

/** A model's workflows that only differ in their repetition number. */
export interface ComparedRepeats {
  /** Name of the first one. */
  readonly name: string;
  readonly workflowIds: readonly string[];
  /** Metrics that all of them have. */
  readonly metrics: Readonly<Record<string, Spread>>;
}

/** A row where the models' responses differ. */
export interface Disagreement {
  /** Row number, starting at 1. */
  readonly row: number;
  readonly example: string;
  readonly groundTruth: DatasetCell;
  /** Responses by workflow ID. */
  readonly answers: Readonly<Record<string, DatasetCell>>;
}

export interface ModelComparison {
  readonly experiment: Experiment;
  /** Whether a workflow is missing from the comparison because it failed or has not finished. */
  readonly partial: boolean;
  /** Names of all metrics that any of the workflows has. */
  readonly metrics: readonly string[];
  readonly workflows: readonly ComparedWorkflow[];
  readonly pairs: readonly ComparedPair[];
  /** Means over repetitions. */
  readonly repeats: readonly ComparedRepeats[];
  readonly disagreements: { readonly total: number; readonly items: readonly Disagreement[] } | null;
}
