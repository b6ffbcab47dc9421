import type { Clock } from '../../../../../platform/clock.ts';
import type { Row } from '../../datasets/dataset.ts';
import type { InferenceSpec } from '../work.ts';
import type { Model } from '../backends/backend.ts';

/** Tokens of one row, where the model tells them for each. */
interface RowTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
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

/** Answers in the order of the rows. */
export interface AskedRows<Value> {
  readonly answers: readonly (RowAnswer<Value> | RowFailure)[];
  /** Those of requests that were about several rows. */
  readonly sharedTokens: number;
}

export interface AskContext {
  readonly model: Model;
  readonly spec: InferenceSpec;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Asks the model about rows; what it says of each becomes columns. A row that fails does not throw. */
export type AskRows = (rows: readonly Row[], context: AskContext) => Promise<AskedRows<Row>>;

export const isFailure = (answer: RowAnswer<unknown> | RowFailure): answer is RowFailure => 'error' in answer;
