import { expect, test } from 'vitest';
import { startFixture } from '../../fixture-provider.ts';
import { encoderAt, evaluationOf, inferenceOf, runAll, withWork } from './working.ts';

const encoder = await startFixture('encoder');
const tagger = encoderAt(`${encoder.url}/tagger`);
const task = { task: 'token-classification' } as const;
const metrics = ['span_f1', 'token_accuracy'];

const infer = (rows: readonly Record<string, string | string[]>[]) =>
  withWork(inferenceOf(tagger, { task }), (work) => runAll(work, rows));

test('word labels are compared in every supported notation', async () => {
  const rows = [
    { examples: '🌍 Anna met  ben.', ground_truth: 'O B-PER O O' },
    { examples: '(Ben) said "no"', ground_truth: '["B-PER", "O", "O"]' },
    { examples: "Ben's dog", tokens: ['Ben', "'s", 'dog'], ground_truth: ['B-PER', 'O', 'B-PER'] },
  ];
  const outcome = await infer(rows);
  expect(outcome.rows.map((row) => row['predictions'])).toEqual([
    ['O', 'B-PER', 'O', 'O'],
    ['B-PER', 'O', 'O'],
    ['B-PER', 'O', 'O'],
  ]);
  expect(outcome.rows[0]?.['spans']).toEqual([{ start: 2, end: 6, label: 'PER', score: 0.75 }]);
  const { table, result } = await withWork(evaluationOf({ task, metrics }), async (work) => {
    const { rows: table } = await runAll(work, outcome.rows);
    return { table, result: work.result() };
  });
  expect(result.metrics).toMatchObject({ token_accuracy: 0.9, span_f1_micro: 6 / 7 });
  expect(result.metrics).not.toHaveProperty('span_precision_micro');
  expect(table.map((row) => row['span_f1_micro'])).toEqual([1, 1, 2 / 3]);
});

test('text spans are compared in code points', async () => {
  const rows = [
    { examples: '🌍 Anna met Ben', ground_truth: '[{"start":2,"end":6,"label":"PER"}]' },
    { examples: 'nobody', ground_truth: '[]' },
  ];
  const outcome = await infer(rows);
  const result = await withWork(
    evaluationOf({ task, metrics: ['span_precision', 'span_recall'] }),
    async (work) => {
      await runAll(work, outcome.rows);
      return work.result();
    },
  );
  expect(result.metrics).toMatchObject({ span_precision_micro: 0.5, span_recall_micro: 1 });
});

test('a row whose words and labels do not match fails without affecting other rows', async () => {
  const rows = [
    { examples: 'Anna', tokens: ['Ben'], ground_truth: 'O' },
    { examples: 'Anna met Ben', ground_truth: 'B-PER O' },
    { examples: 'Anna', ground_truth: 'B-PER' },
  ];
  const outcome = await infer(rows);
  expect(outcome).toMatchObject({ failed: 1, firstError: expect.stringContaining('"Ben"') });
  const evaluated = await withWork(evaluationOf({ task, metrics }), async (work) => {
    const { failed, firstError } = await runAll(work, outcome.rows);
    return { failed, firstError, details: work.result().details };
  });
  expect(evaluated).toMatchObject({
    failed: 1,
    firstError: expect.stringContaining('3 tokens have a predicted label and 2 have a true label'),
    details: { rows: 3, failed_rows: 1, skipped_rows: 1 },
  });
});
