import { expect, test } from 'vitest';
import type { RowCells } from '#gateway/evaluation/datasets/dataset.ts';
import { plotsOf } from '#gateway/evaluation/plots/plots.ts';
import { findRows, type RowQuery } from '#gateway/evaluation/rows/find-rows.ts';
import { readRowIndex } from '#gateway/evaluation/rows/row-index.ts';

type Parameters3 = Parameters<typeof readRowIndex>;

const ROWS = 100_000;
const QUERY: RowQuery = {
  search: '',
  show: 'all',
  sort: 'row',
  metric: undefined,
  workflowId: undefined,
  skip: 0,
  limit: 25,
};

/** Datasets in memory, in chunks, with access by row number. */
function datasetsOf(sets: Readonly<Record<string, (at: number) => RowCells>>): Parameters3[2] {
  return {
    output: async () => ({ rowCount: ROWS }) as never,
    async *rows(id) {
      for (let firstRow = 0; firstRow < ROWS; firstRow += 1000) {
        yield { firstRow, rows: Array.from({ length: 1000 }, (_, at) => sets[id]?.(firstRow + at) ?? {}) };
      }
    },
  };
}

const workflowOf = (id: string): Parameters3[1][number] =>
  ({
    id,
    name: id,
    plan: { inference: { outputField: 'predictions' } },
    jobs: [
      { spec: { type: 'evaluation' }, outputId: `${id}-scores`, result: null },
      { spec: { type: 'inference' }, outputId: `${id}-answers` },
    ],
  }) as never;

const truthOf = (at: number): string => (at % 2 === 0 ? 'A' : 'B');
/** Model two is wrong in every 100th row, and has no response in every 1000th. */
const isWrong = (at: number): boolean => at % 100 === 7;

test('a page of 100,000 rows is found in under 100 ms of CPU time, for any search, filter and order', async () => {
  const workflows = [workflowOf('one'), workflowOf('two')];
  const index = await readRowIndex(
    { task: { task: 'text-classification' }, datasetId: 'texts', maxSamples: -1 } as never,
    workflows,
    datasetsOf({
      texts: (at) => ({ examples: `Text number ${at} ${'x'.repeat(at % 90)}`, ground_truth: truthOf(at) }),
      'one-answers': (at) => ({ predictions: truthOf(at), latency_ms: at % 50, scores: { A: 0.9, B: 0.1 } }),
      'one-scores': () => ({ accuracy: 1 }),
      'two-answers': (at) =>
        at % 1000 === 999
          ? { predictions: null, error: 'The model gave up.' }
          : { predictions: isWrong(at) ? 'C' : truthOf(at) },
      'two-scores': (at) => ({ accuracy: isWrong(at) ? 0 : 1, quality_reason: 'well said' }),
    }),
  );
  const slow: string[] = [];
  const find = (query: Partial<RowQuery>) => {
    const times: number[] = [];
    let found = findRows(index, { ...QUERY, ...query });
    // The best of several attempts in CPU time, because other tests run at the same time.
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const started = process.threadCpuUsage();
      found = findRows(index, { ...QUERY, ...query });
      const { user, system } = process.threadCpuUsage(started);
      times.push((user + system) / 1000);
    }
    if (Math.min(...times) > 100) slow.push(`${JSON.stringify(query)}: ${Math.min(...times).toFixed(0)} ms`);
    return found;
  };

  expect(find({})).toMatchObject({ total: ROWS, rows: expect.arrayContaining([0, 24]) });
  expect(find({ search: 'NUMBER 77777 ' })).toEqual({ total: 1, rows: [77_777] });
  expect(find({ show: 'differences' }).total).toBe(1100);
  expect(find({ show: 'errors' })).toMatchObject({ total: 100, rows: expect.arrayContaining([999, 1999]) });
  expect(find({ show: 'errors', workflowId: 'one' }).total).toBe(0);
  expect(find({ sort: '-spread', limit: 2 }).rows).toEqual([7, 107]);
  expect(find({ sort: 'score', workflowId: 'two', skip: 1, limit: 1 }).rows).toEqual([107]);
  expect(find({ sort: '-length', limit: 1 }).rows).toEqual([10_079]);
  expect(find({ sort: '-latency', limit: 1 }).rows).toEqual([49]);
  expect(find({ sort: '-row', limit: 1 }).rows).toEqual([ROWS - 1]);
  expect(slow).toEqual([]);
  expect(index.models[1]?.reasons[3]).toEqual({ quality: 'well said' });
  expect(() => find({ sort: 'score', metric: 'wit' })).toThrow(
    'No row has a score for the metric "wit". Metrics with row scores: accuracy.',
  );
  expect(() => find({ workflowId: 'three' })).toThrow('The experiment has no workflow "three".');

  const plots = plotsOf(index, workflows, { metric: undefined, label: undefined });
  expect([plots.metric, plots.label, plots.labels]).toEqual(['accuracy', 'B', ['A', 'B']]);
  expect(plots.workflows.map(({ scores }) => scores[0]?.rows)).toEqual([0, 1000]);
  expect(plots.workflows[0]?.curves).toMatchObject({ rows: ROWS, rocAuc: 0.5, averagePrecision: 0.5 });
  expect(plots.workflows[1]).toMatchObject({ curves: null, confusion: null });
  expect(plots.workflows[1]?.lengths).toHaveLength(10);
});
