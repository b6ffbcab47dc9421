import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelFiles } from './locate-files.ts';
import { readJson, readJsonList } from './read-json.ts';
import {
  type PoolingFile,
  poolingFolder,
  type SentenceDefaults,
  sentenceDefaults,
} from './sentence-defaults.ts';

/** Whether a file of sentence-transformers states how vectors are computed. */
export const hasSentenceFiles = ({ folder }: Pick<ModelFiles, 'folder'>): boolean =>
  ['modules.json', join('1_Pooling', 'config.json')].some((name) => existsSync(join(folder, name)));

/** Reads the files that sentence-transformers saved in the model folder; each of them can be missing. */
export async function readSentenceDefaults({
  folder,
}: Pick<ModelFiles, 'folder'>): Promise<SentenceDefaults> {
  const list = join(folder, 'modules.json');
  const modules = existsSync(list) ? await readJsonList(list) : undefined;
  const pooling = join(poolingFolder(modules), 'config.json');
  const object = async (name: string): Promise<Record<string, unknown> | undefined> => {
    const path = join(folder, name);
    return existsSync(path) ? await readJson<Record<string, unknown>>(path) : undefined;
  };
  const config: PoolingFile = { name: pooling, content: await object(pooling) };
  return sentenceDefaults(modules, config, {
    ...(await object('sentence_bert_config.json')),
    ...(await object('config_sentence_transformers.json')),
  });
}
