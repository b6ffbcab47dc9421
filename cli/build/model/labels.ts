import { configError } from '../../../runtime/contract/errors.ts';
import { givesVectors, type ModelType } from '../../../runtime/contract/model-types.ts';
import type { ScoreFunction } from '../../../runtime/contract/score-function.ts';

/** What we read of a model's config.json; everything else in it is kept but not used. */
export interface ModelConfig {
  readonly model_type?: unknown;
  readonly num_labels?: unknown;
  readonly id2label?: unknown;
  readonly label2id?: unknown;
  readonly problem_type?: unknown;
  readonly max_position_embeddings?: unknown;
  readonly pad_token_id?: unknown;
}

/** The label of every output index, checked against the real width of the model's output. */
export function readLabels(
  config: ModelConfig,
  modelType: ModelType,
  width: number,
  file: string,
): Record<string, string> | undefined {
  if (givesVectors(modelType)) return undefined;
  const labels = fromId2Label(config.id2label, file) ?? fromLabel2Id(config.label2id, file);
  const declared = typeof config.num_labels === 'number' ? config.num_labels : labels?.size;
  if (declared !== undefined && declared !== width) {
    throw configError(
      `${file} names ${declared} labels, but the model gives ${width} values. They must belong together.`,
    );
  }
  if (!labels) {
    if (modelType === 'sequence_classification') return undefined;
    throw configError(
      `${file} has no \`id2label\`; ${modelType} needs a label for each of the model's ${width} values.`,
    );
  }
  const missing = Array.from({ length: width }, (_, index) => index).find((index) => !labels.has(index));
  if (missing !== undefined) throw configError(`${file}: \`id2label\` has no label for index ${missing}.`);
  return Object.fromEntries(Array.from({ length: width }, (_, index) => [index, labels.get(index) ?? '']));
}

/** The score function that transformers' text classification pipeline chooses for a model with this config.json. */
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
  if (typeof value !== 'object') throw configError(`${file}: \`id2label\` must map an index to a label.`);
  return new Map(Object.entries(value).map(([id, label]) => [indexOf(id, 'id2label', file), String(label)]));
}

function fromLabel2Id(value: unknown, file: string): Map<number, string> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return new Map(Object.entries(value).map(([label, id]) => [indexOf(String(id), 'label2id', file), label]));
}

function indexOf(text: string, key: string, file: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw configError(
    `${file}: \`${key}\` holds ${JSON.stringify(text)} where an index (0, 1, 2 ...) must stand.`,
  );
}
