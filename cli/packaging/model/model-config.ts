import type { ModelFiles, SettingsFile } from './locate-files.ts';
import { readJsonObject } from './read-json.ts';
import { configError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';

/** The members of config.json that builds use. */
export interface ModelConfig {
  readonly model_type?: unknown;
  readonly architectures?: unknown;
  readonly num_labels?: unknown;
  readonly id2label?: unknown;
  readonly label2id?: unknown;
  readonly problem_type?: unknown;
  readonly max_position_embeddings?: unknown;
  readonly pad_token_id?: unknown;
  readonly hidden_size?: unknown;
  readonly num_attention_heads?: unknown;
  /** The key in DistilBERT and XLM configurations. */
  readonly n_heads?: unknown;
  /** The key in T5 configurations. */
  readonly num_heads?: unknown;
  /** The maximum number of tokens and whether vectors are normalized, in configurations of model2vec. */
  readonly max_length?: unknown;
  readonly normalize?: unknown;
  /** The tasks of models with an adapter for each task, and the prompt for each task. */
  readonly lora_adaptations?: unknown;
  readonly task_instructions?: unknown;
}

/** Reads config.json; empty if the model has none. */
export const readModelConfig = async ({ modelConfig }: ModelFiles): Promise<ModelConfig> =>
  modelConfig === undefined ? {} : await readJsonObject<ModelConfig>(modelConfig);

/** Returns the number of attention heads that config.json states. */
export function attentionHeads({ num_attention_heads, n_heads, num_heads }: ModelConfig): number | undefined {
  return [num_attention_heads, n_heads, num_heads].find(
    (heads): heads is number => Number.isInteger(heads) && Number(heads) > 0,
  );
}

/** The settings file of models with labels or scores, which require config.json. */
export const requiredConfig = (modelType: ModelType): SettingsFile => ({
  name: 'config.json',
  missing: (path) =>
    configError(
      `Could not locate model config at path ${path}. ` +
        `model_type ${modelType} requires it for labels and scores: save it with the model's \`save_pretrained\`.`,
    ),
});

/**
 * Returns the label of every output index; undefined if the model has no labels. Throws if the
 * number of labels differs from the width of the output.
 */
export function readLabels(
  config: ModelConfig,
  width: number,
  file: string,
): Record<string, string> | undefined {
  const labels = fromId2Label(config.id2label, file) ?? fromLabel2Id(config.label2id, file);
  const declared = typeof config.num_labels === 'number' ? config.num_labels : labels?.size;
  if (declared !== undefined && declared !== width) {
    throw configError(
      `${file} has ${declared} labels, but the model returns ${width} values. Use the config.json that belongs to the model.`,
    );
  }
  if (!labels) return undefined;
  const missing = Array.from({ length: width }, (_, index) => index).find((index) => !labels.has(index));
  if (missing !== undefined) throw configError(`${file}: \`id2label\` has no label for index ${missing}.`);
  return Object.fromEntries(Array.from({ length: width }, (_, index) => [index, labels.get(index) ?? '']));
}

/** Returns the labels of a model that requires them. */
export function requireLabels(
  config: ModelConfig,
  width: number,
  file: string,
  modelType: ModelType,
): Record<string, string> {
  const labels = readLabels(config, width, file);
  if (labels) return labels;
  throw configError(
    `${file} has no \`id2label\`, but ${modelType} requires a label for each of the ${width} values the model returns.`,
  );
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
