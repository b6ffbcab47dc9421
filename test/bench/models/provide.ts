import { createHash } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BERT_INPUTS, bertGraph, outputOf } from './bert.ts';
import { type ModelName, type ModelShape, SHAPES } from './shapes.ts';
import { tokenizerConfig, tokenizerJson } from './tokenizer.ts';
import { VIT_INPUT, VIT_OUTPUT, VIT_TINY, vitGraph } from './vit.ts';
import { makeVocabulary } from './vocabulary.ts';
import { writeModel } from './write-model.ts';

/** The folder of a model for texts. */
export const provideModel = (parent: string, name: ModelName): Promise<string> =>
  provide(parent, name, (folder) => writeTextModel(folder, SHAPES[name]));

/** The folder of ViT-tiny. */
export const provideImageModel = (parent: string): Promise<string> => provide(parent, 'vit', writeImageModel);

/** Creates a folder on first use and again when its generating code changes. */
async function provide(
  parent: string,
  name: string,
  write: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(parent, name);
  const stamp = join(folder, 'made-by');
  const maker = await hashOfMakers();
  if ((await readFile(stamp, 'utf8').catch(() => '')) === maker) return folder;
  const scratch = `${folder}.tmp`;
  await rm(scratch, { recursive: true, force: true });
  await mkdir(join(scratch, 'onnx'), { recursive: true });
  await write(scratch);
  // The path where transformers.js looks for the graph.
  await link(join(scratch, 'model.onnx'), join(scratch, 'onnx', 'model.onnx'));
  await writeFile(join(scratch, 'made-by'), maker);
  await rm(folder, { recursive: true, force: true });
  await rename(scratch, folder);
  return folder;
}

const writeJson = (folder: string, name: string, value: object): Promise<void> =>
  writeFile(join(folder, name), `${JSON.stringify(value, undefined, 2)}\n`);

async function writeTextModel(folder: string, shape: ModelShape): Promise<void> {
  const json = (name: string, value: object): Promise<void> => writeJson(folder, name, value);
  await writeModel(join(folder, 'model.onnx'), bertGraph(shape), BERT_INPUTS, outputOf(shape));
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

async function writeImageModel(folder: string): Promise<void> {
  const { layers, hidden, heads, intermediate, image, patch, labels } = VIT_TINY;
  await writeModel(join(folder, 'model.onnx'), vitGraph(), [VIT_INPUT], VIT_OUTPUT);
  const names = Array.from({ length: labels }, (_, label) => `label ${label}`);
  await writeJson(folder, 'config.json', {
    architectures: ['ViTForImageClassification'],
    model_type: 'vit',
    hidden_size: hidden,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    intermediate_size: intermediate,
    hidden_act: 'gelu',
    image_size: image,
    patch_size: patch,
    id2label: Object.fromEntries(names.entries()),
    label2id: Object.fromEntries(names.map((name, label) => [name, label])),
  });
  await writeJson(folder, 'preprocessor_config.json', {
    image_processor_type: 'ViTImageProcessor',
    do_resize: true,
    size: { height: image, width: image },
    resample: 2,
    do_rescale: true,
    rescale_factor: 1 / 255,
    do_normalize: true,
    image_mean: [0.5, 0.5, 0.5],
    image_std: [0.5, 0.5, 0.5],
  });
}

async function hashOfMakers(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(import.meta.dirname)).sort()) {
    hash.update(await readFile(join(import.meta.dirname, name)));
  }
  return hash.digest('hex');
}
