import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

/** Sizes as in small published models: the matrices of a fixture are too small to be quantized. */
const CONFIG = {
  model_type: 'bert',
  hidden_size: 256,
  intermediate_size: 512,
  num_attention_heads: 4,
  num_hidden_layers: 2,
  max_position_embeddings: 128,
  type_vocab_size: 2,
  vocab_size: 2600,
  hidden_act: 'gelu',
  layer_norm_eps: 1e-12,
  pad_token_id: 0,
};

/** Writes a BERT with random weights, identical in each call, and the tokenizer of the fixture `embedder`. */
export function writeRandomBert(folder: string, config: object = {}): void {
  const { hidden_size: width, intermediate_size: inner, ...rest } = CONFIG;
  const layers = Array.from({ length: rest.num_hidden_layers }, (_, at) => `encoder.layer.${at}`);
  const dense = (name: string, inputs: number, outputs: number) => [
    [`${name}.weight`, [outputs, inputs]] as const,
    [`${name}.bias`, [outputs]] as const,
  ];
  const norm = (name: string) => [[`${name}.weight`, [width]] as const, [`${name}.bias`, [width]] as const];
  const shapes = [
    ['embeddings.word_embeddings.weight', [rest.vocab_size, width]] as const,
    ['embeddings.position_embeddings.weight', [rest.max_position_embeddings, width]] as const,
    ['embeddings.token_type_embeddings.weight', [rest.type_vocab_size, width]] as const,
    ...norm('embeddings.LayerNorm'),
    ...layers.flatMap((layer) => [
      ...['query', 'key', 'value'].flatMap((part) => dense(`${layer}.attention.self.${part}`, width, width)),
      ...dense(`${layer}.attention.output.dense`, width, width),
      ...norm(`${layer}.attention.output.LayerNorm`),
      ...dense(`${layer}.intermediate.dense`, width, inner),
      ...dense(`${layer}.output.dense`, inner, width),
      ...norm(`${layer}.output.LayerNorm`),
    ]),
    ...dense('pooler.dense', width, width),
    ...dense('classifier', width, 3),
  ];
  const random = randomNumbers(7);
  const tensors = shapes.map(([name, shape]) => {
    const count = shape.reduce((product, size) => product * size, 1);
    const isGain = name.endsWith('LayerNorm.weight');
    const isTable = name.startsWith('embeddings.') && shape.length === 2;
    // A few columns have much larger values, as in trained models.
    const gain = (at: number): number => (at % 61 === 0 ? 4 : 1);
    const value = (at: number): number =>
      isGain ? gain(at) * (1 + 0.2 * random()) : random() * (isTable ? 1 : 0.12);
    return { name, shape, data: Float32Array.from({ length: count }, (_, at) => value(at)) };
  });
  let end = 0;
  const header = JSON.stringify(
    Object.fromEntries(
      tensors.map(({ name, shape, data }) => {
        const start = end;
        end += data.byteLength;
        return [name, { dtype: 'F32', shape, data_offsets: [start, end] }];
      }),
    ),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(header)));
  mkdirSync(folder, { recursive: true });
  for (const name of ['tokenizer.json', 'tokenizer_config.json'])
    cpSync(join(FIXTURES, 'models/embedder', name), join(folder, name));
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...CONFIG, ...config }));
  writeFileSync(
    join(folder, 'model.safetensors'),
    Buffer.concat([length, Buffer.from(header), ...tensors.map(({ data }) => new Uint8Array(data.buffer))]),
  );
}

/** Normally distributed numbers around 0, identical in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return () => uniform() + uniform() + uniform() + uniform() - 2;
}
