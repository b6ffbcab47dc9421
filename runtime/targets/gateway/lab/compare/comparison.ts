import type { PairComparison } from '../metrics/compare/compare-pair.ts';
import type { ScoreInterval } from '../metrics/compare/score-interval.ts';
import type { Cell } from '../datasets/dataset.ts';
import type { Experiment } from '../experiments/experiment.ts';
import type { Failures } from '../work/work.ts';
import type { WorkflowStatus } from '../workflows/workflow.ts';

/** One number of one model, and how far it may be off. */
export interface ComparedMetric extends Pick<ScoreInterval, 'rows' | 'interval'> {
  readonly value: number;
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
  /** Why it failed. */
  readonly error: string | null;
  readonly rows: number;
  /** Rows that the model did not answer. */
  readonly failedRows: number;
  /** Rows that it answered and a metric could not score. */
  readonly unscoredRows: number;
  readonly failures: Failures;
  /** Empty unless it has succeeded. */
  readonly metrics: Readonly<Record<string, ComparedMetric>>;
  /** In US dollars; null for models outside this gateway or without a price. */
  readonly cost: number | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of rows, in milliseconds. */
  readonly latency: Latency | null;
  readonly seconds: number | null;
}

/** How much more the second workflow has of a metric than the first. */
export interface ComparedPair extends PairComparison {
  readonly metric: string;
  readonly first: string;
  readonly second: string;
  /** Raised for the tests of this metric that were made together. */
  readonly adjusted: number | null;
}

/** A row that models answer differently. */
export interface Disagreement {
  /** From 1. */
  readonly row: number;
  readonly example: string;
  readonly groundTruth: Cell;
  /** By the id of a workflow. */
  readonly answers: Readonly<Record<string, Cell>>;
}

export interface Comparison {
  readonly experiment: Experiment;
  /** Whether a workflow is not in it, as it failed or is not done. */
  readonly partial: boolean;
  /** Names that any of the workflows has a value for. */
  readonly metrics: readonly string[];
  readonly workflows: readonly ComparedWorkflow[];
  readonly pairs: readonly ComparedPair[];
  readonly disagreements: { readonly total: number; readonly items: readonly Disagreement[] } | null;
}
