import { expect, test } from 'vitest';
import type { ShadowRecords, Trial } from '#gateway/accounts/shadow/shadow-records.ts';
import type { Comparison, Sample } from '#gateway/requests/shadow/compare-sample.ts';
import { createEvaluations } from '#gateway/requests/shadow/evaluations.ts';
import type { ShadowSettings } from '#gateway/requests/routing/shadow-settings.ts';
import { createTestClock } from '../../test-clock.ts';

const SETTINGS = { model: 'p:c', share: 1, user: 'u', maxRows: 10_000 } as ShadowSettings;
const SAMPLE = { size: 1000 } as Sample;
const PLAN = {
  baseline: [],
  candidate: 'p:c',
  metrics: ['preference'],
  deciding: ['preference'],
  judge: 'p:j',
  rubric: undefined,
  embedder: undefined,
  margin: 0.05,
  confidence: 0.95,
  maxRows: 10_000,
};
const TRIAL = { id: 't', alias: 'fast', plan: PLAN, retentionMs: undefined };

function setUp(compare: () => Promise<Comparison>, utilization = () => 0) {
  const skips = new Map<string, number>();
  const known = { ...TRIAL, createdAt: 0, rows: 0, verdict: 'undecided', decidedAt: null } as Trial;
  const records = {
    open: () => Promise.resolve(known),
    find: () => Promise.resolve(known),
    add: () => Promise.resolve(),
    rows: () => Promise.resolve([]),
    skip: (_id: string, counts: ReadonlyMap<string, number>) => {
      for (const [reason, count] of counts) skips.set(reason, (skips.get(reason) ?? 0) + count);
      return Promise.resolve();
    },
  } as unknown as ShadowRecords;
  const clock = createTestClock();
  let [running, peak] = [0, 0];
  const evaluations = createEvaluations({
    records,
    trialOf: () => Promise.resolve(TRIAL),
    async compare() {
      running += 1;
      peak = Math.max(peak, running);
      try {
        return await compare();
      } finally {
        running -= 1;
      }
    },
    judge: (row) => Promise.resolve({ row }),
    clock,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    utilization,
  });
  const add = (count: number, sample = SAMPLE): void => {
    for (let at = 0; at < count; at += 1) evaluations.add('fast', SETTINGS, sample);
  };
  const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
  return { evaluations, add, skips, clock, turn, running: () => running, peak: () => peak };
}

test('at most 16 requests are compared concurrently, and what exceeds the queue is dropped and counted', async () => {
  const gate = Promise.withResolvers<Comparison>();
  const { evaluations, add, skips, turn, running } = setUp(() => gate.promise);
  add(700);
  await turn();
  await turn();
  expect(running()).toBe(16);
  gate.resolve({ skipped: 'unreadable' });
  await evaluations.idle();
  expect(Object.fromEntries(skips)).toEqual({ dropped: 200, unreadable: 500 });
});

test('large requests are dropped before they fill the memory', async () => {
  const gate = Promise.withResolvers<Comparison>();
  const { evaluations, add, skips } = setUp(() => gate.promise);
  add(100, { ...SAMPLE, size: 1024 * 1024 });
  gate.resolve({ skipped: 'unreadable' });
  await evaluations.idle();
  expect(skips.get('dropped')).toBe(36);
});

test('while the thread is busy, only one comparison runs at a time', async () => {
  let utilization = 0.9;
  const { evaluations, add, clock, turn, peak } = setUp(
    async () => {
      await turn();
      return { skipped: 'unreadable' };
    },
    () => utilization,
  );
  add(5);
  for (let round = 0; round < 20; round += 1) await turn();
  expect(peak()).toBe(1);
  utilization = 0;
  const idle = evaluations.idle();
  clock.advance(100);
  await idle;
  expect(peak()).toBeGreaterThan(1);
});

test('a comparison that throws is counted and does not stop the others', async () => {
  let calls = 0;
  const { evaluations, add, skips } = setUp(() => {
    calls += 1;
    return calls === 1 ? Promise.reject(new Error('broken')) : Promise.resolve({ skipped: 'unreadable' });
  });
  add(3);
  await evaluations.idle();
  expect(Object.fromEntries(skips)).toEqual({ failed: 1, unreadable: 2 });
});

test('closing counts what was not compared', async () => {
  const { evaluations, add, skips, turn } = setUp(
    () => new Promise((resolve) => void setTimeout(() => resolve({ skipped: 'stopped' }), 1)),
  );
  add(50);
  await turn();
  await turn();
  await evaluations.close();
  expect(Object.fromEntries(skips)).toEqual({ stopped: 50 });
});
