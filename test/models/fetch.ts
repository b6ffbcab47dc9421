import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { exportModel } from './export.ts';
import { REAL_MODELS, SHARED_TOKENIZER_OF } from './list.ts';
import type { RealModel } from './real-model.ts';
import { MODELS_CACHE, unpackedPackage } from './unpack.ts';

export interface ModelFiles {
  readonly graph: string;
  /** The same weights without a graph; undefined for packages that contain a graph. */
  readonly safetensors?: string;
  readonly tokenizer: string;
  readonly config: string;
  /** The folder of the graph, if it is built without a config file. */
  readonly folder?: string;
  /** The files that the package lacks. */
  readonly lacks: readonly string[];
}

/** Downloads the package of a model, and writes the files that a build needs and the package lacks. */
export async function fetchModel(model: RealModel): Promise<ModelFiles> {
  const folder = await unpackedPackage(model);
  if (model.export) return exported(model, folder);
  const shared = REAL_MODELS.find(({ name }) => name === SHARED_TOKENIZER_OF);
  const tokenizer =
    model.tokenizer === undefined && shared !== undefined
      ? join(await unpackedPackage(shared), shared.tokenizer ?? '')
      : join(folder, model.tokenizer ?? '');
  const lacks = [
    ...(model.tokenizer === undefined ? ['tokenizer.json'] : []),
    ...(model.config === undefined ? ['config.json'] : []),
  ];
  const config = join(folder, model.config ?? model.folder ?? 'written', 'config.json');
  if (model.config === undefined) await writeConfig(model, config);
  const built = model.folder === undefined ? {} : { folder: join(folder, model.folder) };
  return { graph: join(folder, model.graph ?? ''), tokenizer, config, lacks, ...built };
}

/** The graph created from the weights in the package, next to the saved sentence-transformers files. */
async function exported(model: RealModel, folder: string): Promise<ModelFiles> {
  const { export: wished } = model;
  if (!wished) throw new Error(`${model.name} has no export`);
  const into = join(folder, `exported-${wished.exporter}`);
  await exportModel(wished, folder, into);
  if (model.pooling === 'files' && 'folder' in wished.weights) {
    const saved = join(folder, wished.weights.folder);
    for (const name of ['modules.json', '1_Pooling', 'sentence_bert_config.json']) {
      await cp(join(saved, name), join(into, name), { recursive: true });
    }
  }
  const named = wished.tokenizer.kind === 'file' ? [] : ['tokenizer.json'];
  return {
    graph: join(into, 'model.onnx'),
    safetensors: join(into, 'model.safetensors'),
    tokenizer: join(into, 'tokenizer.json'),
    config: join(into, 'config.json'),
    lacks: [`graph (${EXPORTERS[wished.exporter]})`, ...named],
  };
}

const EXPORTERS = { torchscript: 'torch.onnx', dynamo: 'torch.onnx, dynamo', optimum: 'optimum' };

/** The config.json values that a build reads. */
async function writeConfig(model: RealModel, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const config = {
    model_type: model.architecture ?? 'bert',
    hidden_size: model.hiddenSize,
    max_position_embeddings: model.maxLength,
    pad_token_id: 0,
    ...model.written,
  };
  await writeFile(path, JSON.stringify(config));
}

/** A Python with the packages for reference.py. */
export async function referencePython(): Promise<string> {
  const folder = join(MODELS_CACHE, 'python');
  const python = join(folder, 'bin/python');
  if (existsSync(join(folder, 'ready'))) return python;
  await execa('python3', ['-m', 'venv', '--clear', folder]);
  await execa(python, ['-m', 'pip', 'install', '-q', 'onnxruntime', 'tokenizers', 'numpy']);
  await copyFile(join(folder, 'pyvenv.cfg'), join(folder, 'ready'));
  return python;
}
