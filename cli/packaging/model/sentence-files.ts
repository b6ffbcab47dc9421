import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { ModelFiles } from './locate-files.ts';
import { readJson, readJsonList } from './read-json.ts';
import { poolingFolder, type SentenceDefaults, sentenceDefaults } from './sentence-defaults.ts';
import { TRANSFORMER_FOLDER } from './transformer-folder.ts';
import { isWeighted, type ModuleFiles, modulePath } from './sentence-layers.ts';

/** Whether a file of sentence-transformers states how vectors are computed. */
export const hasSentenceFiles = ({ folder }: Pick<ModelFiles, 'folder'>): boolean =>
  ['modules.json', join('1_Pooling', 'config.json')].some((name) => existsSync(join(folder, name)));

/** Reads the files that sentence-transformers saved in the model folder; each of them can be missing. */
export async function readSentenceDefaults({
  folder,
}: Pick<ModelFiles, 'folder'>): Promise<SentenceDefaults> {
  const modules = await readModules(folder);
  const pooling = join(poolingFolder(modules), 'config.json');
  const object = async (name: string): Promise<Record<string, unknown> | undefined> => {
    const path = join(folder, name);
    return existsSync(path) ? await readJson<Record<string, unknown>>(path) : undefined;
  };
  const files = new Map<string, ModuleFiles>();
  for (const path of (modules ?? []).filter(isWeighted).map(modulePath)) {
    const config = await object(join(path, 'config.json'));
    if (config) files.set(path, { config, hasWeights: existsSync(join(folder, path, WEIGHTS)) });
  }
  const settings = {
    ...(await object(join(TRANSFORMER_FOLDER, 'sentence_bert_config.json'))),
    ...(await object('sentence_bert_config.json')),
    ...(await object('config_sentence_transformers.json')),
  };
  return sentenceDefaults(modules, { name: pooling, content: await object(pooling) }, settings, files);
}

/** Paths of the files with weights of modules, relative to the folder of modules.json, with slashes. */
export async function moduleWeights(folder: string): Promise<string[]> {
  const modules = (await readModules(folder)) ?? [];
  return modules.filter(isWeighted).map((module) => posix.join(modulePath(module), WEIGHTS));
}

const WEIGHTS = 'model.safetensors';

/** The entries of modules.json; undefined if the folder has none. */
export async function readModules(folder: string): Promise<unknown[] | undefined> {
  const list = join(folder, 'modules.json');
  return existsSync(list) ? await readJsonList(list) : undefined;
}
