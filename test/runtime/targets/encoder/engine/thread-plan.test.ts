import { expect, test } from 'vitest';
import { maxPairsInThreads, planThreads } from '#encoder/engine/thread-plan.ts';

const SMALL = { memoryBytes: 64e9, weightsBytes: 90e6 };
const TIGHT = { memoryBytes: 2e9, weightsBytes: 435e6 };

test.each([
  [{ cores: 1, ...SMALL }, {}, { workers: 1, threads: 1, alone: 1 }],
  [{ cores: 1, ...TIGHT }, {}, { workers: 1, threads: 1 }],
  [{ cores: 2, ...SMALL }, {}, { workers: 2, threads: 1, alone: 2 }],
  [{ cores: 16, ...SMALL }, {}, { workers: 16, threads: 1, alone: 16 }],
  [{ cores: 2, ...TIGHT }, {}, { workers: 1, threads: 2 }],
  [{ cores: 8, ...TIGHT, memoryBytes: 4e9 }, {}, { workers: 2, threads: 4 }],
  [{ cores: 8, ...TIGHT, memoryBytes: 1e8 }, {}, { workers: 1, threads: 8 }],
  [{ cores: 4, ...SMALL, weightsBytes: 0 }, {}, { workers: 4, threads: 1, alone: 4 }],
  [{ cores: 4, weightsBytes: 1e9, memoryBytes: 16e9 }, {}, { workers: 4, threads: 1 }],
  [{ cores: 2, ...SMALL }, { workers: 1 }, { workers: 1, threads: 2 }],
  [{ cores: 8, ...SMALL }, { threads: 4 }, { workers: 2, threads: 4 }],
  [{ cores: 2, ...SMALL }, { threads: 8 }, { workers: 1, threads: 2 }],
  [
    { cores: 2, ...SMALL },
    { workers: 8, threads: 8 },
    { workers: 2, threads: 1 },
  ],
  [{ cores: 8, ...SMALL }, { workers: 3 }, { workers: 3, threads: 2 }],
  [{ cores: 8, ...SMALL, sharesWeights: true }, {}, { workers: 1, threads: 1 }],
  [
    { cores: 2, ...SMALL, sharesWeights: true },
    { workers: 3, threads: 2 },
    { workers: 2, threads: 1 },
  ],
])('on the machine %o, the flags %o result in the right numbers of threads', (machine, wanted, plan) => {
  expect(planThreads(machine, wanted)).toEqual(plan);
});

test('the attention scores of a batch are limited to 256 MB or a sixteenth of the memory, whichever is lower', () => {
  expect(Math.floor(Math.sqrt(maxPairsInThreads(96, 24_000_000_000)))).toBe(1632);
  expect(maxPairsInThreads(96, 960_000_000)).toBe(625_000);
});
