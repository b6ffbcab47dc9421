import { expect, test } from 'vitest';
import type { Backend, GenerationConfig } from '#gateway/evaluation/work/work.ts';
import { scriptedModel } from './scripted-model.ts';
import { evaluationOf, runAll, withWork } from './working.ts';

const judge = await scriptedModel(({ body }, nth) => {
  const text = body.messages.at(-1)?.content ?? '';
  if (text.includes('unclear')) return 'I would not like to say.';
  return nth === 1 ? 'Hm, let me see' : '{"reason": "Good.", "score": 8}';
});

test('a judge is called once per criterion and again after an invalid response, and a row without a verdict fails', async () => {
  const backend: Backend = { kind: 'openai-compatible', baseUrl: judge.url, model: 'j', secretName: null };
  const spec = evaluationOf({
    task: { task: 'translation', sourceLanguage: 'de', targetLanguage: 'en' },
    metrics: ['g_eval_translation', 'exact_match'],
    judge: { backend },
    batchSize: 1,
  });
  const rows = [
    { examples: 'Katze', ground_truth: 'cat', predictions: 'cat' },
    { examples: 'unclear', ground_truth: 'cat', predictions: 'cat' },
  ];
  const { outcome, result } = await withWork(spec, async (work) => {
    const outcome = await runAll(work, rows);
    return { outcome, result: work.result() };
  });
  expect(judge.asked).toHaveLength(1 + 2 + 3);
  expect(outcome.usage).toEqual({ promptTokens: 60, completionTokens: 24 });
  expect(outcome).toMatchObject({ failed: 1, firstError: expect.stringContaining("The judge's answer") });
  expect(outcome.rows[1]).toMatchObject({ exact_match: 1 });
  expect(result.metrics).toMatchObject({ g_eval_translation_fluency_mean: 0.8, exact_match: 1 });
});

test.each<[GenerationConfig | undefined, object]>([
  [undefined, { model: 'j' }],
  [{}, { model: 'j' }],
  [
    { temperature: 0, maxNewTokens: 2000 },
    { model: 'j', temperature: 0, max_tokens: 2000 },
  ],
])('a judge uses its own parameters: %j', async (generation, expected) => {
  const backend: Backend = { kind: 'openai-compatible', baseUrl: judge.url, model: 'j', secretName: null };
  const spec = evaluationOf({
    task: { task: 'translation', sourceLanguage: 'de', targetLanguage: 'en' },
    metrics: ['g_eval_translation'],
    judge: { backend, ...(generation && { generation }) },
  });
  const rows = [{ examples: 'Katze', ground_truth: 'cat', predictions: 'cat' }];
  await withWork(spec, (work) => runAll(work, rows));
  const { messages: _, ...sent } = judge.asked.at(-1)?.body ?? {};
  expect(sent).toEqual(expected);
});
