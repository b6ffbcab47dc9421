import type { ModelType } from '#contract/model-types.ts';
import type { RowCells } from '../../datasets/dataset.ts';
import type { InferenceSpec, TaskDefinition } from '../work.ts';
import type { MetricFamily } from '../evaluation/evaluation.ts';
import type { AnswerRows } from '../inference/inference.ts';

/** The definition of a task: how models do it, and how their answers are evaluated. */
export interface EvaluatedTask {
  /** Types of encoders that can do the task. */
  readonly modelTypes: readonly ModelType[];
  /** Whether language models can do the task. */
  readonly hasChat: boolean;
  /** The default system prompt; undefined if the user must provide one. `labels` are the labels of the ground truth. */
  readonly defaultPrompt: (definition: TaskDefinition, labels: readonly string[]) => string | undefined;
  readonly defaultMetrics: readonly string[];
  readonly families: readonly MetricFamily[];
  /** Throws an InputError if the columns contain nothing to compare the answers with. */
  readonly checkColumns: (columns: readonly string[]) => void;
  /** The labels of a row's ground truth; none for tasks without labels. Throws an InputError for an invalid ground truth. */
  readonly labelsOf: (row: RowCells) => readonly string[];
  /** Whether the evaluation shows the answers next to the scores. */
  readonly showsAnswers: boolean;
  /** Columns that inference adds to each row, in addition to tokens and latency. */
  readonly columns: (spec: InferenceSpec) => readonly string[];
  readonly answer: AnswerRows;
}
