import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeGraph, writeImageVectors } from '#cli/packaging/architectures/write-graph.ts';
import { quantizeModel } from '#cli/packaging/quantize/quantize-model.ts';
import { imageSamples } from '#cli/packaging/quantize/trial.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';
import { useOnnxRuntime } from '../../../helpers/use-onnxruntime.ts';

const folder = useTempFolder();
const runtime = useOnnxRuntime();

const WIDTH = 256;
const INNER = 512;
const SIDE = 32;
const CONFIG = {
  model_type: 'vit',
  hidden_size: WIDTH,
  intermediate_size: INNER,
  num_hidden_layers: 1,
  num_attention_heads: 4,
  image_size: SIDE,
  patch_size: 8,
};

/** Numbers that look random and are the same in each run, with a mean of about 0. */
function numbers(count: number, seed: number, scale: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 31 - 1) * scale;
  });
}

/** A ViT whose matrices are large enough to be quantized, because those of the fixtures are not. */
function writeModel(path: string): void {
  const layer = 'encoder.layer.0';
  const linear = (name: string, outputs: number, inputs: number) =>
    [
      [`${name}.weight`, [outputs, inputs]],
      [`${name}.bias`, [outputs]],
    ] as const;
  const norm = (name: string) =>
    [
      [`${name}.weight`, [WIDTH]],
      [`${name}.bias`, [WIDTH]],
    ] as const;
  const tensors: (readonly [string, readonly number[]])[] = [
    ['embeddings.cls_token', [1, 1, WIDTH]],
    ['embeddings.position_embeddings', [1, 17, WIDTH]],
    ['embeddings.patch_embeddings.projection.weight', [WIDTH, 3, 8, 8]],
    ...['query', 'key', 'value'].flatMap((part) =>
      linear(`${layer}.attention.attention.${part}`, WIDTH, WIDTH),
    ),
    ...linear(`${layer}.attention.output.dense`, WIDTH, WIDTH),
    ...linear(`${layer}.intermediate.dense`, INNER, WIDTH),
    ...linear(`${layer}.output.dense`, WIDTH, INNER),
    ...norm(`${layer}.layernorm_before`),
    ...norm(`${layer}.layernorm_after`),
    ...norm('layernorm'),
  ];
  let offset = 0;
  const header: Record<string, unknown> = {};
  const parts = tensors.map(([name, shape], at) => {
    const values = numbers(
      shape.reduce((product, size) => product * size, 1),
      at + 1,
      0.1,
    );
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + values.byteLength] };
    offset += values.byteLength;
    return new Uint8Array(values.buffer);
  });
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  writeFileSync(path, Buffer.concat([length, text, ...parts]));
}

test('the matrices of an encoder of images are quantized; its convolution stays in float32', async () => {
  const model = mkdtempSync(join(folder(), 'model-'));
  const target = mkdtempSync(join(folder(), 'graph-'));
  const [weights, config] = [join(model, 'model.safetensors'), join(model, 'config.json')];
  writeModel(weights);
  writeFileSync(config, JSON.stringify(CONFIG));
  const written = await writeGraph(
    { weights, config },
    writeImageVectors({ height: SIDE, width: SIDE }),
    target,
  );
  const [graphPath, weightsPath] = [join(target, 'graph.onnx'), join(target, 'weights.bin')];
  await runtime().optimize({
    model: written,
    graph: graphPath,
    weights: 'weights.bin',
    integers: undefined,
  });
  const images = Array.from({ length: 24 }, (_, at) => numbers(3 * SIDE * SIDE, 100 + at, 1));
  const quantized = await quantizeModel(
    runtime(),
    {
      graphPath,
      weightsPath,
      file: weights,
      output: 'image_embeds',
      samples: imageSamples(target, [3, SIDE, SIDE]),
      compare: (values) => ({ kind: 'vectors', rows: [values] }),
      thresholds: { minCosine: 0.99, minAgreement: 0 },
      isOptional: false,
      calibration: images.slice(0, 12),
      heldOut: images.slice(12),
    },
    join(target, 'quantized'),
  );
  if ('reason' in quantized) throw new Error(quantized.reason);
  const { accuracy, ...counts } = quantized.quantization;
  // Query, key, value, the layer after attention, and the two layers of the feed-forward layer.
  expect(counts).toEqual({ form: 'int8', products: 6, quantized: 6 });
  expect(accuracy.cosine?.mean).toBeGreaterThan(0.999);
  expect(accuracy.cosine?.mean).toBeLessThan(1);
  expect(accuracy.texts).toBe(12);
});
