import { type Dirent, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { InputFile } from '#platform/files/refuse-input.ts';
import type { BuildConfig, ModelSource } from '../../config/build-config.ts';
import { documentPaths } from '../model/model-documents.ts';
import type { BuildPlan } from '../plan.ts';
import { readBuilt } from './read-built.ts';

/** Returns the files that a build reads, which it must not overwrite. */
export async function buildInputs(
  { file, model, transform, quantize: { calibration } }: BuildConfig,
  base: BuildPlan['base'],
): Promise<InputFile[]> {
  const files = await modelFiles(model);
  return [
    { path: file, role: 'the config file of this build' },
    ...(transform?.kind === 'file' ? [{ path: transform.path, role: 'the transform of this build' }] : []),
    ...(calibration === undefined
      ? []
      : [{ path: calibration, role: 'the calibration texts of this build' }]),
    ...(base.kind === 'file' ? [{ path: base.path, role: 'the base runtime of this build' }] : []),
    ...files.map((path) => ({ path, role: 'a file of the model' })),
  ];
}

/** Weights can be in files next to the graph that only the graph references, so all files count except earlier builds. */
async function modelFiles(model: ModelSource): Promise<string[]> {
  const folder = model.kind === 'folder' ? model.folder : dirname(model.weights);
  const neighbors: string[] = [];
  const below = foldersIn(folder).filter((name) => name === 'onnx' || IS_MODULE.test(name));
  for (const path of [folder, ...below.map((name) => join(folder, name))].flatMap(filesIn))
    if ((await readBuilt(path)) === undefined) neighbors.push(path);
  if (model.kind === 'folder') return neighbors;
  const { modelConfig, tokenizer, tokenizerConfig, weights } = model;
  const named = [weights, modelConfig, tokenizer, tokenizerConfig].filter((path) => path !== undefined);
  return [...named, ...neighbors, ...(await documentPaths(dirname(modelConfig)))];
}

/** Folders of modules of sentence-transformers are numbered: `2_Dense`. */
const IS_MODULE = /^\d+_/;

const filesIn = (folder: string): string[] =>
  entriesIn(folder)
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ name }) => join(folder, name));

const foldersIn = (folder: string): string[] =>
  entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
