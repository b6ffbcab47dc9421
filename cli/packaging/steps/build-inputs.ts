import { type Dirent, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { InputFile } from '#platform/files/refuse-input.ts';
import type { BuildConfig, ModelSource } from '../../config/build-config.ts';
import { documentPaths } from '../model/model-documents.ts';
import type { BuildPlan } from '../plan.ts';
import { findSection, readContainer } from '#contract/container/read.ts';
import type { SectionName } from '#contract/container/sections.ts';
import type { Manifest, RuntimeInfo } from '#contract/manifest.ts';
import { parseManifest, parseRuntimeInfo } from '#core/model/manifest-json.ts';
import { withFileSource } from '#platform/file-source.ts';

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
      : [calibration, ...filesIn(calibration)].map((path) => ({
          path,
          role: 'the calibration data of this build',
        }))),
    ...(base.kind === 'file' ? [{ path: base.path, role: 'the base runtime of this build' }] : []),
    ...files.map((path) => ({ path, role: 'a model file' })),
  ];
}

/**
 * Includes all files next to the graph except earlier builds, because weights can be in files that
 * only the graph refers to.
 */
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

/** sentence-transformers numbers the folders of its modules: `2_Dense`, `query_0_SparseStaticEmbedding`. */
const IS_MODULE = /^(?:(?:query|document)_)?\d+_/;

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

/** The product of an earlier build: a model, or a program without a model. */
interface Built {
  readonly manifest: Manifest | undefined;
  readonly program: RuntimeInfo['program'];
}

/** Reads an earlier build; undefined if encoderfile did not create the file. */
export async function readBuilt(path: string): Promise<Built | undefined> {
  try {
    return await withFileSource(path, (source) => {
      const container = readContainer(source);
      const read = (name: SectionName): Uint8Array | undefined => {
        const section = findSection(container, name);
        return section && source.readAt(section.offset, section.length);
      };
      const [manifest, runtime] = [read('manifest'), read('runtime')];
      return {
        manifest: manifest && parseManifest(manifest),
        program: runtime && parseRuntimeInfo(runtime).program,
      };
    });
  } catch {
    return undefined;
  }
}
