import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { SIMILARITIES } from '#contract/sentence.ts';
import { SPARSE_ACTIVATIONS, SPARSE_POOLINGS, type SparseSettings } from '#contract/sparse.ts';
import { isOneOf } from '#core/values/is-one-of.ts';
import { readJson } from './read-json.ts';
import { readModules } from './sentence-files.ts';
import { moduleName, modulePath } from './sentence-layers.ts';

/** The modules that a sparse_embedding model can have. */
const MODULES: ReadonlySet<string> = new Set(['Transformer', 'MLMTransformer', 'SpladePooling']);
const SETTINGS_FILE = 'config_sentence_transformers.json';

/** Reads how a model was saved by sentence-transformers; without its files, the settings are those of the SPLADE papers. */
export async function readSparseSettings(folder: string): Promise<SparseSettings> {
  const modules = (await readModules(folder)) ?? [];
  const other = modules.map(moduleName).find((name) => !MODULES.has(name));
  if (other !== undefined) {
    throw configError(
      `modules.json of ${folder} has the module ${other}, but a sparse_embedding model can only have MLMTransformer and SpladePooling. Choose another model, or another \`model_type\`.`,
    );
  }
  const pooling = modules.find((module) => moduleName(module) === 'SpladePooling');
  const file = join(modulePath(pooling), 'config.json');
  const saved = pooling === undefined ? {} : await readObject(folder, file);
  const { similarity_fn_name: similarity } = await readObject(folder, SETTINGS_FILE);
  return {
    pooling: choose('pooling_strategy', saved['pooling_strategy'], POOLINGS, 'max', file),
    activation: choose('activation_function', saved['activation_function'], SPARSE_ACTIVATIONS, 'relu', file),
    // The default of the library for sparse vectors.
    similarity: choose('similarity_fn_name', similarity, SIMILARITIES, 'dot', SETTINGS_FILE),
  };
}

const POOLINGS = SPARSE_POOLINGS.filter((pooling) => pooling !== 'none');

async function readObject(folder: string, name: string): Promise<Readonly<Record<string, unknown>>> {
  const path = join(folder, name);
  return existsSync(path) ? await readJson<Record<string, unknown>>(path) : {};
}

function choose<T extends string>(
  key: string,
  value: unknown,
  allowed: readonly T[],
  otherwise: T,
  file: string,
): T {
  if (value === undefined || value === null) return otherwise;
  if (isOneOf(allowed, value)) return value;
  throw configError(
    `${file}: \`${key}\` is ${JSON.stringify(value)}, but it must be one of ${allowed.join(', ')}.`,
  );
}
