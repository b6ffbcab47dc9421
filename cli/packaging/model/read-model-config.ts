import { join } from 'node:path';
import { configError } from '../../../runtime/contract/errors.ts';
import { returnsVectors, type ModelType } from '../../../runtime/contract/model-types.ts';
import type { ModelConfig } from './labels.ts';
import type { ModelFiles } from './locate-files.ts';
import { readJson } from './read-json.ts';

/** Reads config.json. Models that return vectors can do without it; the labels and scores of a classifier depend on it. */
export async function readModelConfig(
  { modelConfig, folder }: Pick<ModelFiles, 'modelConfig' | 'folder'>,
  modelType: ModelType,
): Promise<ModelConfig> {
  if (modelConfig !== undefined) return await readJson<ModelConfig>(modelConfig);
  if (returnsVectors(modelType)) return {};
  throw configError(
    `Could not locate model config at path ${join(folder, 'config.json')}. ` +
      `model_type ${modelType} requires it for labels and scores: save it with \`save_pretrained\` of the model.`,
  );
}
