import { expect, test } from 'vitest';
import { planThreads } from '../../../runtime/core/thread-plan.ts';

test.each([
  [1, {}, { workers: 1, threads: 1 }],
  [2, {}, { workers: 1, threads: 2 }],
  [4, {}, { workers: 1, threads: 4 }],
  [16, {}, { workers: 4, threads: 4 }],
  [2, { workers: 2 }, { workers: 2, threads: 1 }],
  [2, { threads: 1 }, { workers: 2, threads: 1 }],
  [2, { workers: 8, threads: 8 }, { workers: 2, threads: 1 }],
  [8, { workers: 3 }, { workers: 3, threads: 2 }],
  [8, { workers: 1, threads: 3 }, { workers: 1, threads: 3 }],
])('%i cores, %o', (cores, wanted, plan) => {
  expect(planThreads(cores, wanted)).toEqual(plan);
});
