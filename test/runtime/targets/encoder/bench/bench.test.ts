import { expect, test } from 'vitest';
import {
  batchCandidates,
  flagsText,
  threadCandidates,
  bestOf,
  type FlagsResult,
} from '#encoder/bench/flags-result.ts';
import { lengthsUpTo } from '#encoder/bench/texts.ts';
import { summarize } from '#encoder/bench/load.ts';

test('bench tries all ways to divide the CPUs among workers that fit in memory', () => {
  const texts = (cores: number, sessions: number): string[] =>
    threadCandidates(cores, sessions).map(flagsText);
  expect(texts(6, 100)).toEqual([
    '--workers 1 --threads 6',
    '--workers 2 --threads 3',
    '--workers 4 --threads 1',
    '--workers 6 --threads 1',
  ]);
  expect(texts(16, 3)).toEqual(['--workers 1 --threads 16', '--workers 2 --threads 8']);
  expect(texts(1, 0)).toEqual(['--workers 1 --threads 1']);
  expect(batchCandidates({ workers: 2 }, 512).map(flagsText)).toEqual([
    '--workers 2 --max-batch-tokens 256',
    '--workers 2 --max-batch-tokens 1024',
    '--workers 2 --max-batch-tokens 2048',
  ]);
});

test("the longest measured text has the model's maximum length", () => {
  expect([8, 16, 100, 512].map(lengthsUpTo)).toEqual([[8], [16], [16, 64, 100], [16, 64, 256, 512]]);
});

test('flags are recommended only if they perform clearly better than the current best flags', () => {
  const measured = { requests: 1, inputsPerSecond: 1, p50: 1, p99: 1 };
  const result = (single: number, many: number): FlagsResult => ({
    flags: {},
    single: measured,
    many: measured,
    gain: { single, many },
  });
  const given = result(1, 1);
  const [noise, faster, sooner] = [result(1.04, 1.04), result(0.8, 1.2), result(1.3, 1.24)];
  expect(bestOf(given, [noise], 'many')).toBe(given);
  expect(bestOf(given, [noise, faster, sooner], 'many')).toBe(faster);
  expect(bestOf(faster, [given, noise, faster, sooner], 'single')).toBe(sooner);
});

test('the measurements of several runs are summarized together', () => {
  const latencies = Array.from({ length: 100 }, (_, at) => 100 - at);
  expect(
    summarize([
      { latencies: latencies.slice(0, 50), milliseconds: 400 },
      { latencies: latencies.slice(50), milliseconds: 600 },
    ]),
  ).toEqual({ requests: 100, inputsPerSecond: 100, p50: 51, p99: 100 });
});
