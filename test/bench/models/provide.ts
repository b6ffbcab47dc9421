import { createHash } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bertGraph, outputOf } from './bert.ts';
import { type ModelName, type ModelShape, SHAPES } from './shapes.ts';
import { tokenizerConfig, tokenizerJson } from './tokenizer.ts';
import { makeVocabulary } from './vocabulary.ts';
import { writeModel } from './write-model.ts';

/** The folder of a model, created on first use and again when its generating code changes. */
export async function provideModel(parent: string, name: ModelName): Promise<string> {
  const folder = join(parent, name);
  const stamp = join(folder, 'made-by');
  const maker = await hashOfMakers();
  if ((await readFile(stamp, 'utf8').catch(() => '')) === maker) return folder;
  const scratch = `${folder}.tmp`;
  await rm(scratch, { recursive: true, force: true });
  await mkdir(join(scratch, 'onnx'), { recursive: true });
  await writeFiles(scratch, SHAPES[name]);
  // The path where transformers.js looks for the graph.
  await link(join(scratch, 'model.onnx'), join(scratch, 'onnx', 'model.onnx'));
  await writeFile(join(scratch, 'made-by'), maker);
  await rm(folder, { recursive: true, force: true });
  await rename(scratch, folder);
  return folder;
}

async function writeFiles(folder: string, shape: ModelShape): Promise<void> {
  const json = (name: string, value: object): Promise<void> =>
    writeFile(join(folder, name), `${JSON.stringify(value, undefined, 2)}\n`);
  await writeModel(join(folder, 'model.onnx'), bertGraph(shape), outputOf(shape));
  await json('tokenizer.json', tokenizerJson(makeVocabulary(shape.vocabulary)));
  await json('tokenizer_config.json', tokenizerConfig(shape.positions));
  await json('config.json', {
    architectures: [shape.labels ? 'BertForSequenceClassification' : 'BertModel'],
    ...(shape.labels ? { id2label: Object.fromEntries(shape.labels.entries()) } : {}),
    hidden_act: 'gelu',
    hidden_size: shape.hidden,
    intermediate_size: shape.intermediate,
    layer_norm_eps: 1e-12,
    max_position_embeddings: shape.positions,
    model_type: 'bert',
    num_attention_heads: shape.heads,
    num_hidden_layers: shape.layers,
    pad_token_id: 0,
    position_embedding_type: 'absolute',
    type_vocab_size: 2,
    vocab_size: shape.vocabulary,
  });
}

async function hashOfMakers(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(import.meta.dirname)).sort()) {
    hash.update(await readFile(join(import.meta.dirname, name)));
  }
  return hash.digest('hex');
}
