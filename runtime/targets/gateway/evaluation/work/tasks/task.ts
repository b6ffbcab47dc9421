import type { RowCells, DatasetCell } from '../../datasets/dataset.ts';
import type { InferenceSpec, TaskDefinition } from '../work.ts';
import type { MetricFamily } from '../evaluation/evaluation.ts';
import type { AnswerRows } from '../inference/inference.ts';
import { inputError } from '#contract/errors.ts';
import { GROUND_TRUTH, isEmptyCell, EXAMPLES } from '../../datasets/check-row.ts';
import { imageData } from '../../../shared/image-data.ts';
import { imageName } from '../../../store/image-name.ts';
import { textOfRow } from '../inference/words.ts';
import type { ModelType } from '#contract/model-types.ts';
import type { BackendModel, EncoderCall } from '../backends/backend.ts';

/** A task's definition: how models perform it, and how their outputs are evaluated. */
export interface EvaluatedTask {
  /** Encoder types that can perform the task. */
  readonly modelTypes: readonly ModelType[];
  /** What an encoder is called for; undefined for tasks of generative models. */
  readonly call?: EncoderCall | undefined;
  /** Whether the models read images. They read texts by default. */
  readonly readsImages?: boolean;
  /** A row's texts or images for the model. Default: the column `examples`. */
  readonly inputsOf?: (row: RowCells) => readonly string[];
  /** Whether language models can perform the task. */
  readonly hasChat: boolean;
  /** The default system prompt; undefined if the user must provide one. `labels` are the ground truth labels. */
  readonly defaultPrompt: (definition: TaskDefinition, labels: readonly string[]) => string | undefined;
  readonly defaultMetrics: readonly string[];
  readonly families: readonly MetricFamily[];
  /** Whether rows without a ground truth are also evaluated, because other columns have expectations. */
  readonly hasOptionalTruth?: boolean;
  /** Throws an InputError for a row that cannot be sent to a model. */
  readonly checkInput?: (row: RowCells) => void;
  /** Throws an InputError if the columns contain nothing to compare the outputs with. */
  readonly checkColumns: (columns: readonly string[]) => void;
  /**
   * The labels in a row's ground truth; none for tasks without labels. Throws an InputError for an invalid
   * ground truth.
   */
  readonly labelsOf: (row: RowCells) => readonly string[];
  /** Whether the evaluation shows the outputs next to the scores. */
  readonly showsAnswers: boolean;
  /** Columns that inference adds to each row, besides tokens and latency. */
  readonly columns: (spec: InferenceSpec) => readonly string[];
  readonly answer: AnswerRows;
}

export function checkHasGroundTruth(columns: readonly string[]): void {
  if (columns.includes(GROUND_TRUTH)) return;
  throw inputError(`The dataset has no column \`${GROUND_TRUTH}\` to compare the responses with.`);
}

export function checkGroundTruth({ [GROUND_TRUTH]: truth }: RowCells): void {
  if (isMissing(truth)) throw inputError(`\`${GROUND_TRUTH}\` is missing.`);
}

/** Throws an InputError for a row that contains texts in place of images, or images in place of texts. */
export function checkInputs(
  {
    readsImages = false,
    inputsOf = (one) => [textOfRow(one)],
  }: Pick<EvaluatedTask, 'readsImages' | 'inputsOf'>,
  row: RowCells,
): void {
  for (const input of inputsOf(row)) {
    if ((imageData(input) !== undefined) === readsImages) continue;
    throw inputError(
      readsImages
        ? `${JSON.stringify(input.slice(0, MAX_SHOWN))} is not an image. Provide a PNG, JPEG, WebP or GIF file in base64 or as a data: URL. Other URLs are not fetched.`
        : `${imageName(input)} cannot be read by this task, whose models read texts. Use a task for images, e.g. image-classification.`,
    );
  }
}

const MAX_SHOWN = 40;

/** Whether a cell has no ground truth. An empty list is a ground truth: it means that there is nothing to find. */
export const isMissing = (cell: DatasetCell | undefined): boolean =>
  isEmptyCell(cell) && !Array.isArray(cell);

/** Calls for which the gateway has a route. Encoders are called at their own address for the others. */
export const GATEWAY_CALLS: ReadonlySet<EncoderCall | undefined> = new Set(['classify', 'embed']);

const ABILITIES: Readonly<Record<EncoderCall, string>> = {
  classify: 'return scores for labels',
  tag: 'label tokens',
  embed: 'compute vectors',
  detect: 'find objects',
};

/**
 * Throws an InputError if a model cannot perform the task. Models that do not report their type only fail on
 * the first call.
 */
export function checkModel({ modelTypes, hasChat, call }: EvaluatedTask, model: BackendModel): void {
  const { name, modelType, chat } = model;
  const types = modelTypes.join(' or ');
  if (modelType !== undefined && !modelTypes.includes(modelType)) {
    const required = modelTypes.length === 0 ? 'a generative model' : `a model of type ${types}`;
    throw inputError(`${name} is a model of type ${modelType}; this task requires ${required}.`);
  }
  if (modelType === undefined && !chat && modelTypes.length === 0) {
    throw inputError(`${name} is not a generative model; this task requires one.`);
  }
  if (modelType === undefined && !hasChat && call !== undefined && !model[call]) {
    const where = GATEWAY_CALLS.has(call) ? '' : ', by URL or as a file';
    throw inputError(`${name} cannot ${ABILITIES[call]}. Use an encoder of type ${types}${where}.`);
  }
}

/** Columns that inference reads. */
const INPUT_COLUMNS = [EXAMPLES, 'tokens', 'reference', 'candidates'];
/** Columns that inference writes for every task. */
const COMMON_COLUMNS = ['error', 'prompt_tokens', 'completion_tokens', 'latency_ms'];

/** Throws an InputError for an empty name and for names of other columns. Only annotations can write a ground truth. */
export function checkOutputField({ columns }: EvaluatedTask, spec: InferenceSpec): void {
  const { outputField, type } = spec;
  const others = columns({ ...spec, outputField: '' }).filter((name) => name !== '');
  const truth = type === 'annotate' ? [] : [GROUND_TRUTH];
  const taken = [...INPUT_COLUMNS, ...truth, ...COMMON_COLUMNS, ...others];
  if (outputField.trim() !== '' && !taken.includes(outputField)) return;
  throw inputError(
    `Invalid column ${JSON.stringify(outputField)} for the responses. Use a non-empty name other than ${taken.join(', ')}.`,
  );
}
