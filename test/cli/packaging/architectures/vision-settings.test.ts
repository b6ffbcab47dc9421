import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSimilarityScale } from '#cli/packaging/architectures/towers.ts';
import {
  writeGraph,
  writeHiddenStates,
  writeImageLogits,
  writeImageVectors,
  type WriteOutput,
  writeTextVectors,
} from '#cli/packaging/architectures/write-graph.ts';
import { offsetsOf } from '#cli/packaging/architectures/window-bias.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();

const readConfig = (model: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(FIXTURES, 'vision', model, 'config.json'), 'utf8')) as Record<string, unknown>;

/** Writes the graph of a fixture whose config.json is changed. */
async function attempt(model: string, change: object, output: WriteOutput): Promise<string> {
  // Each graph has its own folder, because a graph's weights are hard links to those of the model.
  const target = mkdtempSync(join(folder(), 'graph-'));
  const config = join(target, 'config.json');
  writeFileSync(config, JSON.stringify({ ...readConfig(model), ...change }));
  return await writeGraph(
    { weights: join(FIXTURES, 'vision', model, 'model.safetensors'), config },
    output,
    target,
  );
}

const square = (side: number): WriteOutput => writeImageVectors({ height: side, width: side });
const labels = writeImageLogits({ height: 16, width: 16 });

test.each<[model: string, change: object, output: WriteOutput, message: string]>([
  ['vit', { patch_size: 0 }, labels, '`patch_size` in config.json must be a whole number above 0, not 0.'],
  [
    'vit',
    { patch_size: [8, 0] },
    labels,
    '`patch_size` in config.json must be a whole number above 0, or two, not [8,0].',
  ],
  [
    'vit',
    { image_size: [16] },
    labels,
    '`image_size` in config.json must be a whole number above 0, or two, not [16].',
  ],
  [
    'vit',
    { patch_size: 32 },
    labels,
    'Images of 16 x 16 pixels have 0 patches of `patch_size` in config.json (32 x 32), but the number must be from 1 to 65536.',
  ],
  [
    'vit',
    { patch_size: 4 },
    labels,
    'The tensor embeddings.patch_embeddings.projection.weight has the shape [16, 3, 8, 8], but config.json requires [16, 3, 4, 4].',
  ],
  [
    'vit',
    { image_size: 24 },
    labels,
    'embeddings.position_embeddings has 5 positions, but `image_size` (24 x 24) and `patch_size` (8 x 8) in config.json require 10.',
  ],
  [
    'vit',
    { num_hidden_layers: 1e9 },
    labels,
    'The weights do not contain the tensor encoder.layer.2.layernorm_before.weight, which',
  ],
  [
    'vit',
    { num_attention_heads: 3 },
    labels,
    'The number of attention heads in config.json (3) must divide the width of hidden states (16).',
  ],
  ['vit', { hidden_size: 32 }, labels, 'but config.json requires [32, 3, 8, 8].'],
  ['vit', { num_channels: 1 }, labels, 'config.json sets `num_channels` to 1, which'],
  ['vit', { hidden_act: 'mish' }, labels, 'The activation "mish" in config.json must be one of gelu, '],
  [
    'vit',
    {},
    square(32),
    'The image processor creates images of 32 x 32 pixels, but this model requires `image_size` in config.json (16 x 16).',
  ],
  [
    'vit',
    {},
    square(0),
    'creates images of 0 x 0 pixels, but height and width must be whole numbers from 1 to 4096.',
  ],
  ['vit', {}, square(1e9), 'but height and width must be whole numbers from 1 to 4096.'],
  ['vit', {}, square(16.5), 'but height and width must be whole numbers from 1 to 4096.'],
  ['vit', {}, writeHiddenStates, 'A model of type "vit" encodes images, not texts.'],
  ['vit', {}, writeTextVectors(0), 'A model of type "vit" encodes images, not texts.'],
  ['clip-text-projected', {}, labels, 'A model of type "clip_text_model" encodes texts, not images.'],
  [
    'clip-text-projected',
    { model_type: 'bert' },
    writeTextVectors(0),
    'A model of type "bert" has no vectors that texts share with images. Types that have them: clip_text_model, siglip_text_model.',
  ],
  [
    'clip-text-projected',
    { eos_token_id: [1, 2] },
    writeTextVectors(0),
    '`eos_token_id` in config.json must be a number, not [1,2].',
  ],
  [
    'vit-unpooled',
    { image_size: [20, 28] },
    writeImageLogits({ height: 20, width: 28 }),
    'do not contain the tensor classifier.weight, which',
  ],
  ['clip', { vision_config: [1] }, labels, '`vision_config` in config.json must be an object, not [1].'],
  [
    'clip',
    { text_config: 'small' },
    writeTextVectors(0),
    '`text_config` in config.json must be an object, not "small".',
  ],
  ['clip', { model_type: 'siglip2' }, labels, 'has the `model_type` "siglip2", but only '],
  [
    'dinov2',
    { image_size: [8, 392] },
    square(32),
    'Positions for 1 x 49 patches cannot be adapted to 4 x 4 patches, because only square grids can be adapted.',
  ],
  [
    'convnext',
    { patch_size: 1 },
    square(300),
    'have 90000 patches of `patch_size` in config.json (1 x 1), but the number must be from 1 to 65536.',
  ],
  [
    'beit',
    {},
    square(16),
    'The image processor creates images of 16 x 16 pixels, but this model requires `image_size` in config.json (24 x 24).',
  ],
  [
    'beit',
    { num_attention_heads: 4 },
    square(24),
    'relative_position_bias_table has the shape [28, 2], but config.json requires [28, 4].',
  ],
  [
    'swin',
    { window_size: 5 },
    square(16),
    'Images of this size become a map of 4 x 4 cells, which is smaller than `window_size` in config.json (5).',
  ],
  ['swin', { window_size: 3 }, square(32), 'but config.json requires [25, 2].'],
  ['swin', { num_heads: [2] }, square(32), '`num_heads` in config.json has 1 numbers, but `depths` has 2.'],
  ['swin', { num_heads: [3, 4] }, square(32), 'config.json (3) must divide the width of hidden states (8).'],
  ['swin', { depths: [1e9, 2] }, square(32), 'do not contain the tensor encoder.layers.0.blocks.2.'],
  [
    'swin',
    { depths: 'two' },
    square(32),
    '`depths` in config.json must be a list of whole numbers above 0, not "two".',
  ],
  [
    'convnext',
    { depths: [1, 0] },
    square(32),
    '`depths` in config.json must be a list of whole numbers above 0, not [1,0].',
  ],
  [
    'convnext',
    { depths: [1, 2, 1, 1] },
    square(32),
    'do not contain the tensor encoder.stages.3.downsampling_layer.0.weight',
  ],
  [
    'resnet',
    { layer_type: 'wide' },
    square(32),
    '`layer_type` in config.json must be basic or bottleneck, not "wide".',
  ],
  ['resnet', { depths: [1e9] }, square(32), 'do not contain the tensor encoder.stages.0.layers.1.'],
])('%s with %j is rejected', async (model, change, output, message) => {
  await expect(attempt(model, change, output)).rejects.toThrow(message);
});

/** A file with one tensor, and nothing else. */
function withTensor(name: string, shape: readonly number[], values: Float32Array): string {
  const header = JSON.stringify({
    [name]: { dtype: 'F32', shape, data_offsets: [0, values.byteLength] },
  });
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const path = join(mkdtempSync(join(folder(), 'weights-')), 'model.safetensors');
  writeFileSync(path, Buffer.concat([length, Buffer.from(header), new Uint8Array(values.buffer)]));
  return path;
}

test.each<[name: string, shape: number[], values: number[], message: RegExp]>([
  [
    'other',
    [1],
    [1],
    /has no tensor logit_scale, which converts similarities of texts and images to scores\./,
  ],
  ['logit_scale', [2], [1, 2], /logit_scale in .* must be one number\./],
  ['logit_scale', [0], [], /logit_scale in .* must be one number\./],
  ['logit_scale', [], [Number.NaN], /logit_scale in .* must be one number\./],
])('a file with only %s of shape %j has no scale of similarities', async (name, shape, values, message) => {
  await expect(readSimilarityScale(withTensor(name, shape, Float32Array.from(values)))).rejects.toThrow(
    message,
  );
});

test('the settings of towers in old files take precedence, and missing ones are the defaults of the class', async () => {
  const { text_config: text, vision_config: vision } = readConfig('clip');
  await attempt(
    'clip',
    { text_config: { ...Object(text), hidden_size: 24 }, text_config_dict: text },
    writeTextVectors(0),
  );
  await attempt('clip', { vision_config: vision, vision_config_dict: null }, square(16));
  await expect(attempt('clip', { vision_config: null }, square(224))).rejects.toThrow(
    'embedding.weight has the shape [24, 3, 8, 8], but config.json requires [768, 3, 32, 32].',
  );
});

test('windows whose biases would take gigabytes are rejected', () => {
  expect(() => offsetsOf({ height: 64, width: 64 })).toThrow(
    'Attention in 1 windows of 4096 cells has 16777216 pairs, but the maximum is 4194304.',
  );
  expect(offsetsOf({ height: 1, width: 2 })).toEqual([
    [1, 0],
    [2, 1],
  ]);
});
