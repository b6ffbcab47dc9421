import { expect, test } from 'vitest';
import type { Backend } from '#gateway/evaluation/work/work.ts';
import { scriptedModel } from './scripted-model.ts';
import { evaluationOf, runAll, withWork } from './working.ts';

const compared = (content: string) =>
  JSON.parse(content.split('\n')[1] ?? '') as { readonly output_1: string; readonly output_2: string };

test('a judge compares each response with the baseline in both orders, and its position bias is reported', async () => {
  // The judge prefers the output with "good"; otherwise, it always prefers the first one.
  const judge = await scriptedModel(({ body }) => {
    const { output_2: second } = compared(body.messages[1]?.content ?? '');
    return JSON.stringify({ winner: second.includes('good') ? 2 : 1, reason: 'So.' });
  });
  const backend: Backend = { kind: 'openai-compatible', baseUrl: judge.url, model: 'j', secretName: null };
  const spec = evaluationOf({
    task: { task: 'text-generation' },
    metrics: ['pairwise'],
    judge: { backend },
    failures: 'wrong',
  });
  const rows = [
    { predictions: 'a good one', baseline: 'bad' },
    { predictions: 'one', baseline: 'two' },
    { predictions: 'other', baseline: 'else' },
    { predictions: 'bad', baseline: 'a good one' },
    { predictions: null, baseline: 'x' },
    { predictions: 'x', baseline: '' },
  ].map((row) => ({ examples: 'Write.', ground_truth: 'g', ...row }));
  await withWork(spec, async (work) => {
    const { rows: scores } = await runAll(work, rows);
    expect(scores.map((row) => row['pairwise_win_rate'])).toEqual([1, 0.5, 0.5, 0, 0, null]);
    expect(scores[0]).toMatchObject({ pairwise_consistency: 1, pairwise_win_rate_reason: 'So. / So.' });
    expect(scores[4]).toMatchObject({ pairwise_win_rate_reason: 'The model gave no response.' });
    const { metrics, details } = work.result();
    expect(metrics).toMatchObject({ pairwise_win_rate: 0.4, pairwise_consistency: 0.6 });
    expect(details).toMatchObject({
      pairwise: { rows: 5, consistent: 3, first_in_both_orders: 2, second_in_both_orders: 0 },
    });
  });
  expect(judge.asked).toHaveLength(8);
});

test('a judge without a readable verdict is called three times, and only its row has no score', async () => {
  const judge = await scriptedModel(({ body }) =>
    compared(body.messages[1]?.content ?? '').output_1 === 'a' ? 'Both.' : '{"winner": 0}',
  );
  const backend: Backend = { kind: 'openai-compatible', baseUrl: judge.url, model: 'j', secretName: null };
  const spec = evaluationOf({ task: { task: 'text-generation' }, metrics: ['pairwise'], judge: { backend } });
  const row = { examples: 'Write.', ground_truth: 'g', predictions: 'a', baseline: 'b' };
  await withWork(spec, async (work) => {
    const { rows } = await runAll(work, [row, { ...row, predictions: 'c' }]);
    expect(rows[0]?.['error']).toContain('The judge\'s answer "Both." has no readable winner.');
    expect(rows[1]).toMatchObject({ pairwise_win_rate: 0.5, pairwise_consistency: 1, error: null });
  });
  expect(judge.asked).toHaveLength(5);
});
