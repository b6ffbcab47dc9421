import type { PairComparison, ScoreInterval } from '../metrics/compare/compare-pair.ts';
import type { DatasetCell } from '../datasets/dataset.ts';
import type { Experiment } from '../experiments/experiment.ts';
import type { Failures } from '../work/work.ts';
import type { WorkflowStatus } from '../../store/workflow-schema.ts';

/** A metric of a model with its confidence interval. */
export interface ComparedMetric extends Pick<ScoreInterval, 'rows' | 'interval'> {
  readonly value: number;
  /** Number of rows that the model has answered. */
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
  /** Error of a failed workflow. */
  readonly error: string | null;
  readonly rows: number;
  /** Number of rows without an answer of the model. */
  readonly failedRows: number;
  readonly answeredRows: number;
  /** Number of rows whose answer is from the cache of the experiment. They cost nothing. */
  readonly cachedRows: number;
  /** Number of verdicts of judges from that cache. */
  readonly cachedVerdicts: number;
  /** Number of answered rows that a metric could not score. */
  readonly unscoredRows: number;
  readonly failures: Failures;
  /** Empty unless the workflow has succeeded. */
  readonly metrics: Readonly<Record<string, ComparedMetric>>;
  /** Cost in US dollars; null for models outside this gateway or without a price. */
  readonly cost: number | null;
  /** Cost of the answers divided by the rows that are not from the cache; null without such rows or without a price. */
  readonly costPerRow: number | null;
  /** Tokens of an answered row, also if its answer is from the cache. */
  readonly tokensPerRow: number | null;
  /** Rows that the model answers in a second, without those from the cache. */
  readonly rowsPerSecond: number | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Latency of rows in milliseconds. */
  readonly latency: Latency | null;
  readonly seconds: number | null;
}

/** The difference of a metric between two workflows, second minus first. */
export interface ComparedPair extends PairComparison {
  readonly metric: string;
  readonly first: string;
  readonly second: string;
  /** The p-value adjusted for the number of comparisons of this metric (Holm). */
  readonly adjusted: number | null;
}

/** How much a number differs between repetitions. */
export interface Spread {
  readonly mean: number;
  /** Standard deviation of the sample. */
  readonly deviation: number;
  readonly min: number;
  readonly max: number;
}

/** Workflows of one model that differ in the number of the repetition only. */
export interface ComparedRepeats {
  /** Name of the first one. */
  readonly name: string;
  readonly workflowIds: readonly string[];
  /** Metrics that all of them have. */
  readonly metrics: Readonly<Record<string, Spread>>;
}

/** A row with different answers of the models. */
export interface Disagreement {
  /** Row number, starting at 1. */
  readonly row: number;
  readonly example: string;
  readonly groundTruth: DatasetCell;
  /** Answers by the id of the workflow. */
  readonly answers: Readonly<Record<string, DatasetCell>>;
}

export interface ModelComparison {
  readonly experiment: Experiment;
  /** Whether a workflow is missing in the comparison because it failed or has not ended. */
  readonly partial: boolean;
  /** Names of all metrics that any workflow has. */
  readonly metrics: readonly string[];
  readonly workflows: readonly ComparedWorkflow[];
  readonly pairs: readonly ComparedPair[];
  /** Means of repetitions. */
  readonly repeats: readonly ComparedRepeats[];
  readonly disagreements: { readonly total: number; readonly items: readonly Disagreement[] } | null;
}
