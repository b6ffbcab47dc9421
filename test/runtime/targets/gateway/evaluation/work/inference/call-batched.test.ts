import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { callBatched } from '#gateway/evaluation/work/inference/call-batched.ts';
import { createTestClock } from '../../../test-clock.ts';

const { signal } = new AbortController();

test("a request's duration is divided among its rows", async () => {
  const clock = createTestClock();
  const ask = async (texts: readonly string[]) => {
    clock.advance(80);
    return { values: texts.map((text) => text.length), tokens: 0 };
  };
  const { answers } = await callBatched(['a', 'b', 'c', 'd'], ask, { clock, signal });
  expect(answers.map(({ latencyMs }) => latencyMs)).toEqual([20, 20, 20, 20]);
});

test("a failed request's duration is divided among its rows", async () => {
  const clock = createTestClock();
  const ask = async () => {
    clock.advance(80);
    throw new AppError('UpstreamError', 'It is down.');
  };
  const { answers } = await callBatched(['a', 'b'], ask, { clock, signal });
  expect(answers).toEqual([
    { error: 'It is down.', latencyMs: 40 },
    { error: 'It is down.', latencyMs: 40 },
  ]);
});
