import { expect, test } from 'vitest';
import type { Manifest } from '#contract/manifest.ts';
import type { BatchOutput } from '#core/model/raw-output.ts';
import { compareWithCpu, measureGpu, runReference } from '#encoder/engine/gpu/probe-gpu.ts';
import type { TokenBatch } from '#encoder/engine/batch.ts';

const MANIFEST = { batching: 'any', tokenizer: { padId: 0 } } as unknown as Manifest;
const text = (length: number) => ({ ids: new Int32Array(length).fill(1), truncated: false });

/** Returns the given values for each batch. */
const runner = (...values: number[]) => ({
  run: (batch: TokenBatch): Promise<BatchOutput> =>
    Promise.resolve({ data: Float32Array.from(values), dims: [batch.lengths.length] }),
});

const reference = async (...values: number[]) =>
  await runReference(runner(...values), [[text(4), text(2)]], MANIFEST, 1);

test('results are compared relative to the largest value', async () => {
  const expected = await reference(100, 1);
  await compareWithCpu(runner(100, 1.0009), expected, MANIFEST, 'float32');
  await expect(compareWithCpu(runner(100, 1.002), expected, MANIFEST, 'float32')).rejects.toThrow(
    /^its results differ from those of the CPU by 2\.0e-5, and the maximum is 0\.00001$/,
  );
});

test('float16, and models with weights in float16, are allowed to differ more', async () => {
  const expected = await reference(1, 1);
  const half = { ...MANIFEST, precision: 'float16' } as Manifest;
  await compareWithCpu(runner(1, 1.004), expected, MANIFEST, 'float16');
  await compareWithCpu(runner(1, 1.004), expected, half, 'float32');
  await expect(compareWithCpu(runner(1, 1.006), expected, half, 'float16')).rejects.toThrow('0.005');
});

test.each([
  ['not a number', [1, NaN]],
  ['infinite', [1, Infinity]],
  ['missing', [1]],
])('a result that is %s never matches', async (_, values) => {
  const expected = await reference(1, 1);
  await expect(compareWithCpu(runner(...values), expected, MANIFEST, 'float16')).rejects.toThrow('differ');
});

test('batches that do not fit into the memory of the GPU are not sent to it', async () => {
  const gpu = {
    run(batch: TokenBatch): Promise<BatchOutput> {
      if (batch.ids.length > 1024) return Promise.reject(new Error('out of memory'));
      return Promise.resolve({ data: new Float32Array(), dims: [] });
    },
  };
  const runs = await measureGpu(gpu, [[text(128)]], MANIFEST);
  expect(runs.map(({ tokens }) => tokens)).toEqual([128, 1024]);
  await expect(measureGpu(gpu, [[text(2000)]], MANIFEST)).rejects.toThrow('out of memory');
});
