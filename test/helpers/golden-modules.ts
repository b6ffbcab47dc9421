import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyModel } from './model-folder.ts';
import { FIXTURES } from './paths.ts';

/** A folder in fixtures/modules with the results of sentence-transformers; fixtures/scripts/make_modules.py created both. */
interface ModulesModel {
  readonly name: string;
  readonly dimensions: number;
  readonly similarity_fn_name: string;
  /** One per text: without a prompt, and with the prompt `query`. */
  readonly vectors: readonly number[][];
  readonly query: readonly number[][];
  /** Similarities of the first text to each of the others. */
  readonly similarity: readonly number[];
}

export interface GoldenModules {
  readonly texts: readonly string[];
  readonly models: readonly ModulesModel[];
}

export function readGoldenModules(): GoldenModules {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(FIXTURES, 'golden', file), 'utf8'));
  const { ids, models } = read('modules.json') as GoldenModules & { ids: readonly string[] };
  const texts = read('texts.json') as { id: string; text: string }[];
  return { models, texts: ids.map((id) => texts.find((one) => one.id === id)?.text ?? '') };
}

/** Copies the model `sentence` with the modules of a folder in fixtures/modules instead of its own. */
export function copyModules(folder: string, name: string): void {
  copyModel(folder, 'sentence');
  for (const file of ['modules.json', '1_Pooling']) rmSync(join(folder, 'model', file), { recursive: true });
  cpSync(join(FIXTURES, 'modules', name), join(folder, 'model'), { recursive: true });
}
