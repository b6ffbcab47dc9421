import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

/** A ColBERT model with the results of PyLate or colbert-ai; fixtures/scripts/make_multi_vector.py created both. */
interface MultiVectorModel {
  readonly name: string;
  /** Folder in fixtures/multi-vector, if not fixtures/models/multi-vector. */
  readonly folder: string | null;
  /** Settings that replace those in the library's file. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Vectors of each query and of each document. */
  readonly queries: readonly number[][][];
  readonly documents: readonly number[][][];
  /** For each query, the score of each document. */
  readonly scores: readonly number[][];
  /** Unnormalized vectors of the first query. */
  readonly raw?: readonly number[][];
}

export interface GoldenMultiVector {
  readonly queries: readonly string[];
  readonly documents: readonly string[];
  readonly models: readonly MultiVectorModel[];
}

export const readGoldenMultiVector = (): GoldenMultiVector =>
  JSON.parse(readFileSync(join(FIXTURES, 'golden', 'multi-vector.json'), 'utf8')) as GoldenMultiVector;

/** A golden model by name. */
export function goldenMultiVector(name: string): MultiVectorModel {
  const found = readGoldenMultiVector().models.find((model) => model.name === name);
  if (!found) throw new Error(`no golden model ${name}`);
  return found;
}

/** Copies the files of a golden model to the folder `model`. */
export function copyMultiVector(folder: string, { folder: own, settings }: MultiVectorModel): void {
  const model = join(folder, 'model');
  const from = (name: string): void => cpSync(join(FIXTURES, name), model, { recursive: true });
  if (own === null || own === 'two-dense') from('models/multi-vector');
  if (own === 'two-dense') rmSync(join(model, '1_Dense'), { recursive: true });
  if (own !== null) from(`multi-vector/${own}`);
  const file = join(
    model,
    own?.startsWith('stanford') ? 'artifact.metadata' : 'config_sentence_transformers.json',
  );
  const saved = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...saved, ...settings }));
}
