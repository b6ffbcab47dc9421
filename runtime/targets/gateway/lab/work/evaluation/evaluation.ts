import type { Json, MetricResult, RowScores } from '../../metrics/metric.ts';
import type { Cell, Row } from '../../datasets/dataset.ts';
import type { GenerationConfig, WorkUsage } from '../work.ts';
import type { Model } from '../backends/backend.ts';
import type { Pacing } from '../pacing.ts';

/** A row with its prediction and its ground truth. */
export interface Sample {
  readonly row: Row;
  /** Null where the model gave no answer. */
  readonly prediction: Cell;
  readonly truth: Cell;
}

/** The model failed for this row; metrics of right and wrong count it as wrong. */
export const isUnanswered = ({ prediction }: Pick<Sample, 'prediction'>): boolean => prediction === null;

export interface BatchContext {
  readonly signal: AbortSignal;
  /** Told of tokens as they are used. */
  readonly spend: (usage: WorkUsage) => void;
}

/** Counts a row when it is its turn, and gives its scores. Throws an AppError for a row that it cannot take. */
export type CountRow = () => RowScores;

/** One metric, or some that are counted together. */
export interface Scorer {
  /** Reads rows, or asks models about them. */
  prepare(samples: readonly Sample[], context: BatchContext): Promise<readonly CountRow[]>;
  result(): MetricResult;
  save(): Json;
}

/** A language model that scores answers, and the parameters of its requests. */
export interface Judge {
  readonly model: Model;
  readonly generation: GenerationConfig;
}

export interface ScorerTools {
  readonly judge: Judge | undefined;
  readonly embedder: Model | undefined;
  readonly batchSize: number;
  readonly pacing: Pacing;
}

export type Need = 'judge' | 'embedder';

export interface MetricFamily {
  readonly name: string;
  /** What users may ask for, and the values that each shows; those of a table only shows in the details have none. */
  readonly metrics: Readonly<Record<string, (value: string) => boolean>>;
  readonly needs: readonly Need[];
  /** The name under which a value is tracked. */
  readonly shownAs: (value: string) => string;
  open(tools: ScorerTools, saved: Json | undefined): Scorer;
}
