import { assert as assertAll, array, nat, property } from 'fast-check';
import { expect, test } from 'vitest';
import { chooseRows } from '#gateway/evaluation/experiments/sample/choose-rows.ts';
import { useGateway } from '../../api/use-gateway.ts';
import { requestsTo } from '../workflows/workflow-requests.ts';

const gateway = useGateway();

test('a stratified sample keeps group shares without repetition, and the same seed selects the same rows', () => {
  assertAll(
    property(array(nat(30), { minLength: 1, maxLength: 6 }), nat(100), nat(50), (sizes, size, seed) => {
      let next = 0;
      const groups = sizes.map((length) => Array.from({ length }, () => next++));
      const chosen = chooseRows(groups, size, seed);
      expect(chosen).toEqual([...new Set(chosen)].toSorted((one, other) => one - other));
      expect(chosen).toHaveLength(Math.min(size, next));
      expect(chooseRows(groups, size, seed)).toEqual(chosen);
      for (const rows of groups) {
        const exact = (Math.min(size, next) * rows.length) / Math.max(1, next);
        expect(Math.abs(chosen.filter((row) => rows.includes(row)).length - exact)).toBeLessThan(1);
      }
    }),
    { seed: 5, numRuns: 300 },
  );
});

test('every row is selected with about the same probability', () => {
  const counts = Array.from({ length: 10 }, () => 0);
  for (let seed = 0; seed < 2000; seed += 1) {
    for (const row of chooseRows([counts.map((_, at) => at)], 3, seed)) counts[row] = (counts[row] ?? 0) + 1;
  }
  // 600 each; the standard deviation is 20.5.
  expect(counts.filter((count) => Math.abs(count - 600) > 100)).toEqual([]);
});

test('an experiment with a stratified sample gets its own dataset', async () => {
  const { ask, context } = gateway();
  const { upload, experiment } = requestsTo(gateway());
  const lines = Array.from({ length: 100 }, (_, at) => `text ${at},${at % 4 === 0 ? 'RARE' : 'COMMON'}`);
  const dataset = (await upload(['examples,ground_truth', ...lines, ''].join('\n'))).body.id;
  const id = await experiment(dataset, { max_samples: 20, sampling: 'stratified', seed: 7 });
  const { body } = await ask('GET', `/api/v1/experiments/${id}`);
  expect([body.max_samples, body.dataset === dataset]).toEqual([-1, false]);
  const { datasets } = context.jobs;
  expect(await datasets.get('everyone', body.dataset)).toMatchObject({
    filename: 'reviews-stratified-20-seed-7.jsonl',
    columns: ['examples', 'ground_truth'],
  });
  const rows = (await Array.fromAsync(datasets.rows(body.dataset))).flatMap((chunk) => chunk.rows);
  const rare = rows.filter((row) => row['ground_truth'] === 'RARE');
  expect([rows.length, rare.length]).toEqual([20, 5]);
  const other = await ask('POST', '/api/v1/experiments/', {
    name: 'x',
    dataset,
    sampling: 'random',
    task_definition: { task: 'text-classification' },
  });
  expect([other.status, other.body.error.message]).toEqual([
    422,
    '`sampling: random` requires `max_samples`, the number of rows. Set it to at least 1.',
  ]);
});
