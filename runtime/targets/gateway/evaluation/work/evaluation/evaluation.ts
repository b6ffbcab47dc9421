import type { AnyJson, MetricResult, RowScores } from '../../metrics/metric.ts';
import type { DatasetCell, RowCells } from '../../datasets/dataset.ts';
import type { GenerationConfig, WorkUsage } from '../work.ts';
import type { BackendModel } from '../backends/backend.ts';
import type { Pacing } from '../pacing.ts';

/** A row with its prediction and its ground truth. */
export interface Sample {
  readonly row: RowCells;
  /** Null if the model gave no response. */
  readonly prediction: DatasetCell;
  readonly truth: DatasetCell;
}

/** Whether the model failed for this row. Correctness metrics count it as wrong. */
export const isUnanswered = ({ prediction }: Pick<Sample, 'prediction'>): boolean => prediction === null;

export interface BatchContext {
  readonly signal: AbortSignal;
  /** Called with the token counts of each response. */
  readonly spend: (usage: WorkUsage & { readonly isShared?: boolean }) => void;
}

/** Counts a prepared row and returns its scores. Throws an AppError for an invalid row. */
export interface CountRow {
  (): RowScores;
  /** Why the row has its scores, keyed by score name: a judge's reasons. */
  readonly reasons?: Readonly<Record<string, string>>;
}

/** Scores rows for one metric, or for several that are counted together. */
export interface Scorer {
  /** Reads rows, or calls models with them, without counting them yet. */
  prepare(samples: readonly Sample[], context: BatchContext): Promise<readonly CountRow[]>;
  result(): MetricResult;
  save(): AnyJson;
}

/** A language model that scores outputs, and its request parameters. */
export interface Judge {
  readonly model: BackendModel;
  readonly generation: GenerationConfig;
}

export interface ScorerTools {
  readonly judge: Judge | undefined;
  readonly embedder: BackendModel | undefined;
  readonly pacing: Pacing;
}

export type Need = 'judge' | 'embedder';

export interface MetricFamily {
  readonly name: string;
  /**
   * Metrics that users can request, each with the values that it shows. Metrics that are tables in the
   * details show none.
   */
  readonly metrics: Readonly<Record<string, (value: string) => boolean>>;
  readonly needs: readonly Need[];
  /** A value's name in results. */
  readonly shownAs: (value: string) => string;
  open(tools: ScorerTools, saved: AnyJson | undefined): Scorer;
}
