import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { createGpuLane } from '#encoder/engine/gpu/gpu-lane.ts';
import type { JobItem } from '#encoder/engine/job.ts';

const PLAN = {
  minTokens: 1,
  maxTokens: 100,
  maxPadding: 10,
  gpu: { run: 5, token: 1 },
  cpu: { run: 0, token: 2 },
  isSlower: false,
};
const ITEMS = [{ length: 10 }] as JobItem[];

/** A lane whose batches run until they are completed with `finish`. */
function setUp(verifying: () => Promise<void>) {
  const running: PromiseWithResolvers<void>[] = [];
  const died = Promise.withResolvers<AppError>();
  const lost: unknown[] = [];
  let failed = false;
  let room = Promise.withResolvers<void>();
  const lane = createGpuLane({
    member: {
      alone: false,
      running: () => running.length,
      async run() {
        const batch = Promise.withResolvers<void>();
        running.push(batch);
        await batch.promise;
        running.shift();
      },
      died: died.promise,
      ended: Promise.resolve(),
      close: async () => {},
    },
    plan: PLAN,
    verify: verifying,
    hasFailed() {
      const found = failed;
      failed = false;
      return found;
    },
    onRoom: () => room.resolve(),
    onLost: (error) => void lost.push(error),
  });
  const finish = async (isFailure = false): Promise<void> => {
    room = Promise.withResolvers();
    failed = isFailure;
    running[0]?.resolve();
    await room.promise;
  };
  return { lane, died, lost, finish };
}

test('the expected time includes the batches that were sent', async () => {
  const { lane, finish } = setUp(async () => {});
  expect(lane.remaining(10)).toBe(15);
  lane.send(ITEMS);
  expect(lane.running()).toBe(1);
  expect(lane.remaining(0)).toBeGreaterThan(5);
  await finish();
  expect([lane.running(), lane.remaining(10)]).toEqual([0, 15]);
});

test('after a failed batch, the GPU is verified before it gets the next one', async () => {
  const verified = Promise.withResolvers<void>();
  const { lane, lost, finish } = setUp(() => verified.promise);
  lane.send(ITEMS);
  const finished = finish(true);
  await expect.poll(() => lane.running()).toBe(Infinity);
  verified.resolve();
  await finished;
  expect([lane.running(), lost]).toEqual([0, []]);
});

test('a GPU that fails its verification, or that fails often, is lost', async () => {
  const broken = setUp(() => Promise.reject(new Error('device lost')));
  broken.lane.send(ITEMS);
  await broken.finish(true);
  expect([broken.lane.running(), broken.lost]).toEqual([Infinity, [new Error('device lost')]]);

  const unreliable = setUp(async () => {});
  for (let batch = 0; batch < 8; batch++) {
    unreliable.lane.send(ITEMS);
    await unreliable.finish(true);
  }
  expect(unreliable.lost).toEqual([new Error('8 batches failed')]);
});

test('a GPU whose thread exits is lost', async () => {
  const { lane, died, lost } = setUp(async () => {});
  const error = new AppError('InternalError', 'A worker thread exited.');
  died.resolve(error);
  await expect.poll(() => lost).toEqual([error]);
  expect(lane.running()).toBe(Infinity);
});
