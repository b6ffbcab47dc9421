import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLayerWeights } from '#cli/packaging/model/layer-weights.ts';
import type { LayerSettings } from '#contract/sentence.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();

/** Writes a safetensors file. */
function write(tensors: Record<string, { dtype: string; shape: number[]; bytes: ArrayBufferView }>): void {
  let end = 0;
  const header = Object.entries(tensors).map(([name, { dtype, shape, bytes }]) => {
    const start = end;
    end += bytes.byteLength;
    return [name, { dtype, shape, data_offsets: [start, end] }] as const;
  });
  const json = Buffer.from(JSON.stringify(Object.fromEntries(header)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  const contents = Object.values(tensors).map(({ bytes }) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  );
  writeFileSync(join(folder(), 'model.safetensors'), Buffer.concat([length, json, ...contents]));
}

const DENSE: LayerSettings = { kind: 'dense', inputs: 2, outputs: 1, bias: true, activation: 'tanh' };
const read = async (settings: LayerSettings): Promise<number[]> => {
  const bytes = await readLayerWeights(folder(), [
    { settings, path: '' },
    { settings: { kind: 'normalize' }, path: '' },
  ]);
  return [...new Float32Array(Uint8Array.from(bytes).buffer)];
};
const weight = { dtype: 'F32', shape: [1, 2], bytes: Float32Array.of(1.5, -2) };

test('weights of every type are converted to float32, and a matrix precedes its bias', async () => {
  const types = [
    ['F32', Float32Array.of(0.5)],
    ['F16', Uint16Array.of(0x3800)],
    ['BF16', Uint16Array.of(0x3f00)],
    ['F64', Float64Array.of(0.5)],
  ] as const;
  for (const [dtype, bytes] of types) {
    write({ 'linear.bias': { dtype, shape: [1], bytes }, 'linear.weight': weight });
    expect(await read(DENSE)).toEqual([1.5, -2, 0.5]);
  }
  write({ 'linear.weight': { dtype: 'BF16', shape: [1, 2], bytes: Uint16Array.of(0xbf80, 0x4000) } });
  expect(await read({ ...DENSE, bias: false })).toEqual([-1, 2]);
  const two = { dtype: 'F32', shape: [2], bytes: Float32Array.of(3, 4) };
  write({ 'norm.weight': two, 'norm.bias': { ...two, bytes: Float32Array.of(5, 6) } });
  expect(await read({ kind: 'layer_norm', width: 2 })).toEqual([3, 4, 5, 6]);
});

test('a state dict of torch is read if there are no safetensors', async () => {
  const layer = (path: string) => [
    { settings: { kind: 'dense', inputs: 32, outputs: 32, bias: true, activation: 'tanh' }, path } as const,
  ];
  const path = join('labse', '2_Dense');
  const torch = await readLayerWeights(join(FIXTURES, 'torch'), layer(path));
  expect(torch.length).toBeGreaterThan(100);
  expect(torch).toEqual(await readLayerWeights(join(FIXTURES, 'modules'), layer(path)));
});

test('a missing tensor and a tensor with the wrong shape are rejected', async () => {
  write({ 'linear.weight': weight });
  await expect(read(DENSE)).rejects.toThrow(
    /model\.safetensors has no tensor linear\.bias\. Save the model again\.$/,
  );
  await expect(read({ ...DENSE, outputs: 3, bias: false })).rejects.toThrow(
    /linear\.weight has the shape \[1, 2\], but config\.json next to it states \[3, 2\]\. Save the model again\.$/,
  );
});
