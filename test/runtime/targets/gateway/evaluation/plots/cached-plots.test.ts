import { expect, test } from 'vitest';
import { createPlots } from '#gateway/evaluation/plots/cached-plots.ts';
import type { RowIndex } from '#gateway/evaluation/rows/row-index.ts';

const indexOf = (scores: readonly number[]): RowIndex => ({
  size: scores.length,
  readsImages: false,
  examples: scores.map(String),
  truths: scores.map(() => 'A'),
  models: [
    {
      id: 'one',
      name: 'one',
      answers: [],
      errors: [],
      latency: new Float64Array(),
      scores: new Map([['accuracy', Float64Array.from(scores)]]),
      reasons: [],
      labelScores: new Map(),
    },
  ],
  texts: [],
  differs: new Uint8Array(scores.length),
});

test('plots are cached for each combination of rows, metric and label', () => {
  const plotsOf = createPlots();
  const wanted = { metric: 'accuracy', label: undefined };
  const index = indexOf([1, 0]);
  const plots = plotsOf(index, [], wanted);
  expect(plotsOf(index, [], wanted)).toBe(plots);
  expect(plotsOf(index, [], { ...wanted, label: 'B' }).label).toBe('B');
  expect(plotsOf(indexOf([1, 1]), [], wanted).workflows[0]?.scores.at(-1)?.rows).toBe(2);
  expect(() => plotsOf(index, [], { ...wanted, metric: 'wit' })).toThrow('No row has a score');
});
