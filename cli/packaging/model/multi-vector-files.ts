import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '#core/json/is-object.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { ModelFiles } from './locate-files.ts';
import { type MultiVectorDefaults, pylateDefaults, stanfordDefaults } from './multi-vector-defaults.ts';
import { readJson, readJsonList } from './read-json.ts';

type Folder = Pick<ModelFiles, 'folder'>;

/** Written by Stanford's colbert-ai. */
const ARTIFACT = 'artifact.metadata';
/** Written by PyLate, and by its export to ONNX. */
const PYLATE_FILES = ['config_sentence_transformers.json', 'onnx_config.json'] as const;

/** The file of a folder that states that the model is of ColBERT. */
export async function findColbertFile(folder: string): Promise<string | undefined> {
  for (const name of PYLATE_FILES) {
    if (memberOf(await readObject(folder, name), 'model_type') === 'ColBERT') return name;
  }
  const modules = await readModules(folder);
  if (modules.some((module) => String(memberOf(module, 'type')).startsWith('pylate.'))) return 'modules.json';
  return existsSync(join(folder, ARTIFACT)) ? ARTIFACT : undefined;
}

/** Reads the settings that PyLate or colbert-ai saved in the model folder. */
export async function readMultiVectorDefaults({ folder }: Folder): Promise<MultiVectorDefaults> {
  const artifact = await readObject(folder, ARTIFACT);
  const modules = await readModules(folder);
  const [saved, exported] = await Promise.all(PYLATE_FILES.map((name) => readObject(folder, name)));
  if (artifact && modules.length === 0) return stanfordDefaults(artifact);
  return pylateDefaults({ ...exported, ...saved });
}

const readObject = async (folder: string, name: string): Promise<Record<string, unknown> | undefined> => {
  const path = join(folder, name);
  return existsSync(path) ? await readJson<Record<string, unknown>>(path) : undefined;
};

/** The entries of modules.json; none if there is no such file. */
export async function readModules(folder: string): Promise<Record<string, unknown>[]> {
  const path = join(folder, 'modules.json');
  return existsSync(path) ? (await readJsonList(path)).filter(isObject) : [];
}
