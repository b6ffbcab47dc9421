import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const WIDTH = 256;
const INNER = 512;
/** Height and width of the images. */
export const SIDE = 32;
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
export function numbers(count: number, seed: number, scale: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 31 - 1) * scale;
  });
}

/**
 * Writes the files of a ViT whose matrices are large enough to be quantized, because those of the fixtures
 * are not.
 */
export function writeRandomVit(folder: string): { readonly weights: string; readonly config: string } {
  const [weights, config] = [join(folder, 'model.safetensors'), join(folder, 'config.json')];
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
  writeFileSync(weights, Buffer.concat([length, text, ...parts]));
  writeFileSync(config, JSON.stringify(CONFIG));
  return { weights, config };
}
