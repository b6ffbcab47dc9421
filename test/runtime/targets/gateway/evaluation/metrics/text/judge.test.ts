import { expect, test } from 'vitest';
import { JUDGE_DEFINITIONS, judgedMetric, readVerdict } from '#gateway/evaluation/metrics/text/judge.ts';

const definition = JUDGE_DEFINITIONS.find(({ name }) => name === 'g_eval_translation');

test('verdicts are averaged per criterion', () => {
  if (definition === undefined) throw new Error('there is no such definition');
  const metric = judgedMetric({ definition });
  const scores = metric.add({ consistency: readVerdict('8'), fluency: readVerdict('{"score": 6}') });
  expect(scores).toEqual({ g_eval_translation_consistency_mean: 0.8, g_eval_translation_fluency_mean: 0.6 });
  const resumed = judgedMetric({ definition }, metric.save());
  resumed.add({ consistency: readVerdict('10'), fluency: readVerdict('10') });
  expect(resumed.result().values).toEqual({
    g_eval_translation_consistency_mean: 0.9,
    g_eval_translation_fluency_mean: 0.8,
  });
  expect(() => resumed.add({ consistency: readVerdict('10') })).toThrow(
    'The row has no verdict for "fluency". g_eval_translation requires a verdict for each criterion.',
  );
  expect(resumed.result().values['g_eval_translation_fluency_mean']).toBe(0.8);
});
