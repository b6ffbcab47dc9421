import type { Clock } from '#platform/clock.ts';
import type { RowCells } from '../../datasets/dataset.ts';
import type { InferenceSpec } from '../work.ts';
import type { BackendModel } from '../backends/backend.ts';

/** A row's tokens, for models that report them per row. */
interface RowTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  /** Whether the response came from the experiment's cache. */
  readonly isShared: boolean;
}

export interface RowAnswer<Value> {
  readonly value: Value;
  readonly tokens?: RowTokens;
  readonly latencyMs: number;
}

export interface RowFailure {
  readonly error: string;
  readonly latencyMs: number;
}

/** A model's responses, in row order. */
export interface AnsweredRows<Value> {
  readonly answers: readonly (RowAnswer<Value> | RowFailure)[];
  /** Tokens of requests that contain several rows. */
  readonly sharedTokens: number;
}

export interface ModelCallContext {
  readonly model: BackendModel;
  readonly spec: InferenceSpec;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Calls a model with rows; its responses become columns. Does not throw for failed rows. */
export type AnswerRows = (
  rows: readonly RowCells[],
  context: ModelCallContext,
) => Promise<AnsweredRows<RowCells>>;

export const isFailure = (answer: RowAnswer<unknown> | RowFailure): answer is RowFailure => 'error' in answer;
