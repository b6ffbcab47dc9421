import { configError } from '#contract/errors.ts';
import { hasLabels, type ModelType } from '#contract/model-types.ts';
import { findEntailment } from '#core/model/entailment.ts';
import type { ScoreFunction } from '#contract/score-function.ts';

/** The members of config.json that are used. */
export interface ModelConfig {
  readonly model_type?: unknown;
  readonly num_labels?: unknown;
  readonly id2label?: unknown;
  readonly label2id?: unknown;
  readonly problem_type?: unknown;
  readonly max_position_embeddings?: unknown;
  readonly pad_token_id?: unknown;
  readonly hidden_size?: unknown;
  readonly num_attention_heads?: unknown;
  /** The name in configurations of DistilBERT and XLM. */
  readonly n_heads?: unknown;
  /** The name in configurations of T5. */
  readonly num_heads?: unknown;
}

/** Returns the label of every output index, checked against the actual width of the model's output. */
export function readLabels(
  config: ModelConfig,
  modelType: ModelType,
  width: number,
  file: string,
): Record<string, string> | undefined {
  if (modelType === 'question_answering') {
    if (width === 2) return undefined;
    throw configError(
      `The model of ${file} returns ${width} values per token, but question_answering requires two: whether an answer starts, and whether it ends there. Choose the right model_type.`,
    );
  }
  if (!hasLabels(modelType)) return undefined;
  const labels = fromId2Label(config.id2label, file) ?? fromLabel2Id(config.label2id, file);
  const declared = typeof config.num_labels === 'number' ? config.num_labels : labels?.size;
  if (declared !== undefined && declared !== width) {
    throw configError(
      `${file} has ${declared} labels, but the model returns ${width} values. Use the config.json that belongs to the model.`,
    );
  }
  if (!labels) {
    if (modelType === 'sequence_classification') return undefined;
    throw configError(
      `${file} has no \`id2label\`, but ${modelType} requires a label for each of the ${width} values that the model returns.`,
    );
  }
  const missing = Array.from({ length: width }, (_, index) => index).find((index) => !labels.has(index));
  if (missing !== undefined) throw configError(`${file}: \`id2label\` has no label for index ${missing}.`);
  const id2label = Object.fromEntries(
    Array.from({ length: width }, (_, index) => [index, labels.get(index) ?? '']),
  );
  if (modelType === 'zero_shot_classification') checkEntailment(id2label, file);
  return id2label;
}

function checkEntailment(id2label: Readonly<Record<string, string>>, file: string): void {
  const labels = Object.values(id2label);
  if (labels.length > 1 && findEntailment(id2label) !== undefined) return;
  throw configError(
    `${file} has the ${labels.length === 1 ? 'label' : 'labels'} ${labels.join(', ')}, but zero_shot_classification requires several labels, one of which starts with "entail". Use a model for natural language inference, or set \`model_type: sequence_classification\`.`,
  );
}

/** Returns the score function that the text classification pipeline of transformers chooses for this config.json. */
export function scoreFunctionOf(
  { problem_type: problem }: ModelConfig,
  modelType: ModelType,
  labels: number,
): ScoreFunction | undefined {
  if (modelType !== 'sequence_classification') return undefined;
  if (problem === 'regression') return 'none';
  return problem === 'multi_label_classification' || labels === 1 ? 'sigmoid' : 'softmax';
}

function fromId2Label(value: unknown, file: string): Map<number, string> | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object') throw configError(`${file}: \`id2label\` must map indexes to labels.`);
  return new Map(Object.entries(value).map(([id, label]) => [indexOf(id, 'id2label', file), String(label)]));
}

function fromLabel2Id(value: unknown, file: string): Map<number, string> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return new Map(Object.entries(value).map(([label, id]) => [indexOf(String(id), 'label2id', file), label]));
}

function indexOf(text: string, key: string, file: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw configError(
    `${file}: \`${key}\` contains ${JSON.stringify(text)}, but an index (0, 1, 2 ...) is required.`,
  );
}
