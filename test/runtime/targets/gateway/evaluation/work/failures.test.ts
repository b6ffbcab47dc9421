import { expect, test } from 'vitest';
import type { Backend, EvaluationSpec } from '#gateway/evaluation/work/work.ts';
import type { RowCells } from '#gateway/evaluation/datasets/dataset.ts';
import type { Json } from '#gateway/providers/shapes/chat.ts';
import { scriptedModel } from './scripted-model.ts';
import { evaluationOf, runAll, withWork } from './working.ts';

const FAILED = { predictions: null, error: 'The model m failed.' };

/** Batch by batch, each resumed from the checkpoint of the previous one. */
async function evaluated(rows: readonly RowCells[], spec: Partial<EvaluationSpec>) {
  let checkpoint: Json | null = null;
  for (const [at, row] of rows.slice(0, -1).entries()) {
    const step = async (work: Parameters<typeof runAll>[0]): Promise<Json> => {
      await runAll(work, [row], at);
      return JSON.parse(JSON.stringify(work.checkpoint())) as Json;
    };
    checkpoint = await withWork(evaluationOf(spec), step, { checkpoint });
  }
  const last = async (work: Parameters<typeof runAll>[0]) => {
    const outcome = await runAll(work, rows.slice(-1), rows.length - 1);
    return { scored: outcome.rows[0] ?? {}, failed: outcome.failed, ...work.result() };
  };
  return await withWork(evaluationOf(spec), last, { checkpoint });
}

const classified = (own: RowCells, ground_truth = 'GOOD'): RowCells => ({
  examples: 'x',
  ground_truth,
  ...own,
});

test('a failed row counts as a wrong response, but does not add a label to the metrics', async () => {
  const rows = [
    classified({ predictions: 'GOOD' }),
    classified({ predictions: 'BAD' }, 'BAD'),
    classified({ ...FAILED }),
    classified({ ...FAILED }),
  ];
  const spec = {
    metrics: ['accuracy', 'f1', 'precision', 'recall', 'mcc', 'cohen_kappa', 'confusion_matrix'],
  };
  const wrong = await evaluated(rows, { ...spec, failures: 'wrong' });
  expect(wrong.metrics).toMatchObject({
    accuracy: 0.5,
    // GOOD: 1 of 3 found, all predictions correct.
    recall_macro: (1 / 3 + 1) / 2,
    precision_macro: 1,
    f1_macro: (0.5 + 1) / 2,
    f1_micro: 4 / 6,
    // The values of scikit-learn for y_pred = ["GOOD", "BAD", "-", "-"].
    mcc: expect.closeTo(0.5163977794943222, 12),
    cohen_kappa: expect.closeTo(1 / 3, 12),
  });
  expect(wrong.details).toMatchObject({ rows: 4, unanswered_rows: 2, skipped_rows: 0, failed_rows: 0 });
  expect(wrong.scored).toMatchObject({ accuracy: 0, error: 'The model m failed.', predictions: null });
  expect(wrong.details['classification']).toMatchObject({
    labels: ['BAD', 'GOOD'],
    confusion_matrix: [
      [1, 0],
      [0, 1],
    ],
  });
  expect(wrong.failed).toBe(0);
  expect(wrong.parameters).toMatchObject({ failures: 'wrong' });

  const skipped = await evaluated(rows, { ...spec, failures: 'skipped' });
  expect(skipped.metrics).toMatchObject({ accuracy: 1, f1_macro: 1 });
  expect(skipped.details).toMatchObject({ rows: 4, unanswered_rows: 2, skipped_rows: 2 });
  expect(skipped.scored).toEqual({ predictions: null, ground_truth: 'GOOD', error: 'The model m failed.' });
});

test('a job created by an earlier version still skips failed rows', async () => {
  const rows = [classified({ predictions: 'GOOD' }), classified({ ...FAILED })];
  const { failures: _, ...earlier } = evaluationOf();
  expect((await evaluated(rows, { ...earlier, failures: undefined })).metrics).toMatchObject({ accuracy: 1 });
});

test('a row without a ground truth is skipped, whether it failed or not', async () => {
  const rows = [classified({ predictions: 'GOOD' }), classified({ ...FAILED }, '')];
  const { metrics, details } = await evaluated(rows, { failures: 'wrong' });
  expect(metrics).toMatchObject({ accuracy: 1 });
  expect(details).toMatchObject({ skipped_rows: 1, unanswered_rows: 1 });
});

test('if all rows fail, all of them count as wrong', async () => {
  const { metrics } = await evaluated([classified({ ...FAILED })], { failures: 'wrong' });
  expect(metrics).toEqual({ accuracy: 0 });
});

test.each<[string, Partial<EvaluationSpec>, RowCells, RowCells, object, object]>([
  [
    'label lists',
    { metrics: ['accuracy', 'f1'] },
    { ground_truth: ['a', 'b'], predictions: ['a', 'b'] },
    { ground_truth: [] },
    { subset_accuracy: 0.5, f1_samples: 0.5, f1_macro: 1 },
    { subset_accuracy: 0 },
  ],
  [
    'label scores, which a failed row lacks',
    { metrics: ['accuracy', 'log_loss', 'ece'] },
    { ground_truth: 'a', predictions: 'a', scores: { a: 1, b: 0 } },
    { ground_truth: 'a' },
    { accuracy: 0.5, log_loss: expect.closeTo(0, 9), ece: 0 },
    { accuracy: 0 },
  ],
  [
    'word labels',
    { task: { task: 'token-classification' }, metrics: ['span_f1', 'span_recall', 'token_accuracy'] },
    { ground_truth: 'B-PER O', predictions: 'B-PER O' },
    { ground_truth: 'B-PER O' },
    { span_recall_micro: 0.5, span_f1_micro: 2 / 3, token_accuracy: 0.5 },
    { span_f1_micro: 0, token_accuracy: 0 },
  ],
  [
    'spans, with none in the failed row',
    { task: { task: 'token-classification' }, metrics: ['span_f1'] },
    {
      ground_truth: [{ start: 0, end: 1, label: 'PER' }],
      predictions: [{ start: 0, end: 1, label: 'PER' }],
    },
    { ground_truth: [] },
    { span_f1_micro: 1 },
    { span_f1_micro: 0 },
  ],
  [
    'texts',
    {
      task: { task: 'summarization' },
      metrics: ['rouge', 'meteor', 'bleu', 'chrf', 'exact_match', 'token_length'],
    },
    { ground_truth: 'the cat sat on the mat', predictions: 'the cat sat on the mat' },
    { ground_truth: 'the' },
    {
      rouge_rouge1_mean: 0.5,
      bleu_bleu_mean: expect.closeTo(50, 9),
      chrf_mean: 50,
      exact_match: 0.5,
      exact_match_normalized: 0.5,
      // Of the responses that exist.
      token_length_pred_token_length_mean: 8,
      token_length_ref_token_length_mean: 8,
    },
    { rouge_rouge1_mean: 0, meteor_meteor_mean: 0, bleu_bleu: 0, chrf: 0, exact_match: 0 },
  ],
  [
    'vectors of text pairs',
    { task: { task: 'feature-extraction' }, metrics: ['cosine', 'pearson'] },
    { reference: 'y', ground_truth: 1, predictions: [1, 0], reference_embedding: [1, 0] },
    { reference: 'y', ground_truth: 1, reference_embedding: null },
    { cosine_mean: 0.5 },
    { cosine_mean: 0 },
  ],
  [
    'candidate vectors',
    { task: { task: 'feature-extraction' }, metrics: ['recall_at_k', 'mrr', 'ndcg'] },
    { candidates: ['a', 'b'], ground_truth: 0, predictions: [1, 0], candidate_scores: [0.9, 0.1] },
    { candidates: ['a', 'b'], ground_truth: 0, candidate_scores: null },
    { mrr: 0.5, recall_at_10: 0.5, ndcg_at_10: 0.5 },
    { mrr: 0, recall_at_10: 0, ndcg_at_10: 0 },
  ],
])('a failed row counts as wrong: %s', async (_name, spec, answered, failed, metrics, scores) => {
  const rows = [
    { examples: 'x', ...answered },
    { examples: 'x', ...failed, ...FAILED },
  ];
  const wrong = await evaluated(rows, { ...spec, failures: 'wrong' });
  expect(wrong.metrics).toMatchObject(metrics);
  expect(wrong.scored).toMatchObject(scores);
  expect(wrong.failed).toBe(0);
  const left = await evaluated(rows, { ...spec, failures: 'skipped' });
  const alone = await evaluated(rows.slice(0, 1), { ...spec, failures: 'skipped' });
  expect(left.metrics).toEqual(alone.metrics);
});

test('failed rows get the lowest score without being judged', async () => {
  const judge = await scriptedModel(() => '{"reason": "Good.", "score": 8}');
  const backend: Backend = { kind: 'openai-compatible', baseUrl: judge.url, model: 'j', secretName: null };
  const spec: Partial<EvaluationSpec> = {
    task: { task: 'translation', sourceLanguage: 'de', targetLanguage: 'en' },
    metrics: ['g_eval_translation'],
    judge: { backend },
  };
  const rows = [
    { examples: 'Katze', ground_truth: 'cat', predictions: 'cat' },
    { examples: 'Hund', ground_truth: 'dog', ...FAILED },
  ];
  const { metrics } = await evaluated(rows, { ...spec, failures: 'wrong' });
  expect(metrics).toMatchObject({ g_eval_translation_fluency_mean: 0.4 });
  expect(judge.asked).toHaveLength(2);
});
