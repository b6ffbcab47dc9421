import { expect, test } from 'vitest';
import type { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { openWork } from '#gateway/evaluation/work/open-work.ts';
import type { Backend } from '#gateway/evaluation/work/work.ts';
import { scriptedModel } from './scripted-model.ts';
import { inferenceOf, runAll, toolsOf, withWork } from './working.ts';

const summarizing = { task: { task: 'summarization' as const } };
const rowsOf = (...texts: string[]) => texts.map((examples) => ({ examples, ground_truth: 'Short: text' }));

test('at most max_concurrency rows of a batch are sent concurrently', async () => {
  const three = Promise.withResolvers<void>();
  const slow = await scriptedModel(async (_asked, nth) => {
    if (nth === 3) three.resolve();
    await three.promise;
    return 'Here.';
  });
  const backend: Backend = { kind: 'openai-compatible', baseUrl: slow.url, model: 'm', secretName: null };
  const spec = inferenceOf(backend, { ...summarizing, batchSize: 7, maxConcurrency: 3 });
  const outcome = await withWork(spec, (work) => runAll(work, rowsOf('a', 'b', 'c', 'd', 'e', 'f', 'g')));
  expect(outcome.failed).toBe(0);
  expect(slow.mostOpen()).toBe(3);
});

test('a pause requested by the model is respected', async () => {
  const limited = await scriptedModel((_asked, nth) =>
    nth === 1 ? { status: 429, headers: { 'retry-after': '70' }, error: 'Slow down.' } : 'Here.',
  );
  const pauses: number[] = [];
  const clock: Clock = {
    now: () => 0,
    after(milliseconds, run) {
      // Timeouts are longer.
      if (milliseconds < 100_000) {
        pauses.push(milliseconds);
        setImmediate(run);
      }
      return () => undefined;
    },
  };
  const backend: Backend = { kind: 'openai-compatible', baseUrl: limited.url, model: 'm', secretName: null };
  const spec = inferenceOf(backend, summarizing);
  const work = await openWork(spec, toolsOf(), null, { clock, random: () => 0 });
  expect((await runAll(work, rowsOf('text'))).failed).toBe(0);
  await work.close();
  expect(pauses).toEqual([70_000]);
});

test.each([
  [403, 'budget_exceeded', "User 'ann' has exceeded budget limit", true],
  [403, 'estimate_exceeds_budget', "User 'ann' has $0.01 of the budget left.", true],
  [402, null, 'Your credit balance is too low.', true],
  [429, null, 'Try again tomorrow.', true],
  // These rows could never succeed.
  [403, 'estimate_exceeds_budget', "User 'ann' has a budget of $1.", false],
  [402, 'pricing_required', "Model 'm' has no price, and User 'ann' has a budget.", false],
])('an exhausted budget or a long pause stops the job: %s %s %s', async (status, code, error, isPause) => {
  const headers: Record<string, string> = status === 429 ? { 'retry-after': '3600' } : {};
  const poor = await scriptedModel(() => ({ status, headers, error, code }));
  const backend: Backend = { kind: 'openai-compatible', baseUrl: poor.url, model: 'm', secretName: null };
  const end = await withWork(inferenceOf(backend, summarizing), (work) =>
    runAll(work, rowsOf('a', 'b')),
  ).then(
    ({ firstError }) => ({ isPause: false, message: firstError }),
    ({ reason, message }: AppError) => ({ isPause: reason === 'job_paused', message }),
  );
  expect(end).toEqual({ isPause, message: expect.stringContaining(error) });
});
