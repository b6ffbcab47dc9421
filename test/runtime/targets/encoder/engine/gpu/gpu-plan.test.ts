import { expect, test } from 'vitest';
import { planGpu } from '#encoder/engine/gpu/gpu-plan.ts';

const cpu = { tokens: 100, milliseconds: 100 };
/** As on one measured GPU: a fixed part of 10 ms, and 0.05 ms for each token. */
const gpu = [100, 1000, 8000].map((tokens) => ({ tokens, milliseconds: 10 + tokens / 20 }));

test('batches run on the GPU from the number of tokens for which it is faster', () => {
  const plan = planGpu(cpu, gpu, false);
  // 10 + n / 20 is less than n from 10.5 tokens on.
  expect(plan).toMatchObject({ minTokens: 11, maxTokens: 8000, isSlower: false });
  expect(plan?.maxPadding).toBe(200);
});

test('of batches with about the same throughput, the smallest is the maximum', () => {
  const flat = [100, 1000, 8000].map((tokens) => ({ tokens, milliseconds: tokens / 20 }));
  expect(planGpu(cpu, flat, false)).toMatchObject({ minTokens: 1, maxTokens: 100, maxPadding: 0 });
  const slowerWhenLarge = [...gpu.slice(0, 2), { tokens: 8000, milliseconds: 4000 }];
  expect(planGpu(cpu, slowerWhenLarge, false)).toMatchObject({ maxTokens: 1000 });
});

test('a GPU that is never faster is only used if the user requires it', () => {
  const slow = gpu.map(({ tokens }) => ({ tokens, milliseconds: tokens * 3 }));
  expect(planGpu(cpu, slow, false)).toBeUndefined();
  expect(planGpu(cpu, slow, true)).toMatchObject({ minTokens: 1, isSlower: true });
  expect(planGpu(cpu, [], true)).toBeUndefined();
});

test('a larger batch that was faster by chance does not produce negative costs', () => {
  const runs = [
    { tokens: 100, milliseconds: 12 },
    { tokens: 1000, milliseconds: 11 },
  ];
  const plan = planGpu(cpu, runs, false);
  expect(plan?.gpu.token).toBeGreaterThan(0);
  expect(plan?.minTokens).toBe(12);
});
