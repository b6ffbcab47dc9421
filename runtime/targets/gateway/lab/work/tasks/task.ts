import type { ModelType } from '../../../../../contract/model-types.ts';
import type { Row } from '../../datasets/dataset.ts';
import type { InferenceSpec, TaskDefinition } from '../work.ts';
import type { MetricFamily } from '../evaluation/evaluation.ts';
import type { AskRows } from '../inference/inference.ts';

/** All that there is to know of a task, for those who create work and those who do it. */
export interface Task {
  /** Of encoders that can do it; of language models all can, or none. */
  readonly modelTypes: readonly ModelType[];
  readonly hasChat: boolean;
  /** Undefined where only the user can know what to ask for. `labels` are those of the ground truth. */
  readonly defaultPrompt: (definition: TaskDefinition, labels: readonly string[]) => string | undefined;
  readonly defaultMetrics: readonly string[];
  readonly families: readonly MetricFamily[];
  /** Throws an InputError for columns without anything to compare the answers with. */
  readonly checkColumns: (columns: readonly string[]) => void;
  /** The labels of a row's ground truth; none where the task has no labels. Throws an InputError for a row whose answer could not be compared. */
  readonly labelsOf: (row: Row) => readonly string[];
  /** Which of the model's answers the evaluation shows beside the scores. */
  readonly showsAnswers: boolean;
  /** What inference adds to each row, beside tokens and time. */
  readonly columns: (spec: InferenceSpec) => readonly string[];
  readonly ask: AskRows;
}
