import { expect, test } from 'vitest';
import { AppError, inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { createDispatcher } from '#encoder/engine/dispatcher.ts';
import type { GpuLane } from '#encoder/engine/gpu/gpu-lane.ts';
import type { GpuPlan } from '#encoder/engine/gpu/gpu-plan.ts';
import { EngineJob, type JobItem } from '#encoder/engine/job.ts';
import type { Lane } from '#encoder/engine/lanes.ts';
import type { Pool } from '#encoder/engine/pool.ts';

const MANIFEST = { modelType: 'embedding', tokenizer: { maxLength: 512 } } as Manifest;
const FAILURE = new AppError('InternalError', 'Error running model: out of memory');

/** A dispatcher with one thread and a GPU that is faster from 20 tokens on. */
function setUp(plan: Partial<GpuPlan> = {}) {
  const sent = { cpu: [] as number[][], gpu: [] as number[][] };
  const running: { cpu: readonly JobItem[][]; gpu: readonly JobItem[][] } = { cpu: [], gpu: [] };
  const start = (device: 'cpu' | 'gpu', items: readonly JobItem[]): void => {
    sent[device].push(items.map(({ length }) => length));
    running[device] = [...running[device], [...items]];
  };
  const pool: Pool = {
    room: () => ({ idle: running.cpu.length > 0 ? 0 : 1, ahead: 0 }),
    send: (items) => start('cpu', items),
    openWorkers: () => {},
    canRunAlone: () => running.cpu.length === 0,
    canInterleave: () => false,
    sendAlone: (items) => start('cpu', items),
    canRunLarge: () => true,
    sendLarge: () => {},
    size: () => 1,
    ended: () => false,
    close: async () => {},
  };
  const lane: GpuLane = {
    plan: {
      minTokens: 20,
      maxTokens: 1000,
      maxPadding: 100,
      gpu: { run: 10, token: 0.01 },
      cpu: { run: 0, token: 1 },
      isSlower: false,
      ...plan,
    },
    running: () => running.gpu.length,
    send: (items) => start('gpu', items),
    remaining: (tokens) => 10 + tokens / 100,
    close: async () => {},
  };
  const devices: string[] = [];
  const dispatcher = createDispatcher(
    { maxTokens: 500, maxPairs: 1e9 },
    {},
    { onBatch: ({ device }) => void devices.push(device), onRequest: () => {}, onWorkerDeath: () => {} },
  );
  dispatcher.attach(pool);
  dispatcher.attachGpu(lane);
  const take = (device: 'cpu' | 'gpu'): readonly JobItem[] => {
    const [items = [], ...others] = running[device];
    running[device] = others;
    return items;
  };
  const finish = (device: 'cpu' | 'gpu'): void => {
    const items = take(device);
    const hooks = device === 'cpu' ? dispatcher.hooks : dispatcher.gpuHooks;
    hooks.onDone(
      items,
      items.map(() => new Uint8Array()),
      1,
    );
    dispatcher.hooks.onRoom();
  };
  const fail = (error: AppError, reason: 'failed' | 'died' = 'failed'): void => {
    dispatcher.gpuHooks.onFailed(take('gpu'), error, reason);
    dispatcher.hooks.onRoom();
  };
  const add = (lane: Lane, ...lengths: number[]): EngineJob => {
    const job = new EngineJob({
      inputs: lengths.map(() => ({ text: 'a' })),
      view: { kind: 'result', format: 'json', options: {} },
    });
    job.lane = lane;
    dispatcher.add(
      lengths.flatMap((length, index) =>
        job.items(index, { ids: new Int32Array(length), truncated: false }, MANIFEST),
      ),
    );
    return job;
  };
  return { dispatcher, sent, devices, add, finish, fail };
}

test('large batches run on the GPU, and short texts on the CPU', async () => {
  const { sent, devices, add, finish } = setUp();
  const short = add('interactive', 5);
  const batch = add('bulk', 50, 60, 40);
  expect(sent).toEqual({ cpu: [[5]], gpu: [[50, 40, 60]] });
  finish('gpu');
  finish('cpu');
  expect((await batch.answer).results).toHaveLength(3);
  expect((await short.answer).results).toHaveLength(1);
  expect(devices).toEqual(['gpu', 'cpu']);
});

test('while the GPU is busy, the CPU only runs batches that it completes sooner', () => {
  const { sent, add, finish } = setUp();
  add('bulk', 400);
  add('bulk', 300);
  expect(sent).toEqual({ cpu: [], gpu: [[400]] });
  // The GPU would need more than 10 ms.
  add('bulk', 6);
  finish('gpu');
  expect(sent.gpu).toEqual([[400], [300]]);
  const slow = setUp({ gpu: { run: 10, token: 0.9 } });
  slow.add('bulk', 400);
  expect(slow.sent.gpu).toEqual([[400]]);
});

test('an interactive request does not wait for a bulk batch on the GPU', () => {
  const { sent, add } = setUp();
  add('bulk', 400, 400);
  add('bulk', 400);
  add('interactive', 30);
  expect(sent).toEqual({ cpu: [[30]], gpu: [[400, 400]] });
});

test.each(['failed', 'died'] as const)('if a batch on the GPU %s, the CPU runs it', async (reason) => {
  const { sent, add, finish, fail } = setUp();
  const job = add('bulk', 50, 50);
  fail(FAILURE, reason);
  expect(sent).toEqual({ cpu: [[50, 50]], gpu: [[50, 50]] });
  // The GPU gets no batch that could contain these texts again.
  add('bulk', 60);
  expect(sent.gpu).toHaveLength(1);
  finish('cpu');
  expect((await job.answer).results).toHaveLength(2);
  expect(sent.gpu).toEqual([[50, 50], [60]]);
});

test('the error of an input that fails on the GPU is reported, and the input is not repeated', async () => {
  const { sent, add, fail } = setUp();
  const job = add('bulk', 50);
  fail(inputError('Input 0: not an image'));
  await expect(job.answer).rejects.toThrow('not an image');
  expect(sent.cpu).toEqual([]);
});

test('the GPU continues after a request whose batch failed is canceled', () => {
  const { dispatcher, sent, add, finish, fail } = setUp();
  const canceled = add('bulk', 50, 50);
  // The CPU is busy, so the texts wait for it.
  add('interactive', 5);
  fail(FAILURE);
  dispatcher.forget(canceled);
  canceled.fail(FAILURE);
  add('bulk', 60);
  expect(sent).toEqual({ cpu: [[5]], gpu: [[50, 50], [60]] });
  finish('cpu');
});

test('without a GPU, all batches run on the CPU', () => {
  const { dispatcher, sent, add } = setUp();
  dispatcher.attachGpu(undefined);
  add('bulk', 400);
  expect(sent).toEqual({ cpu: [[400]], gpu: [] });
});
