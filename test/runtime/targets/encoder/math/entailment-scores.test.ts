import { expect, test } from 'vitest';
import { scoreLabels } from '#encoder/math/entailment-scores.ts';
import { expectClose } from '#test/helpers/close.ts';
import { readGoldenZeroShot } from '#test/helpers/golden-zero-shot.ts';

test.each(Object.entries(readGoldenZeroShot()))(
  'scores for a model with %s labels match the transformers pipeline',
  (name, { id2label, cases }) => {
    expect(cases.length).toBeGreaterThan(2);
    for (const { candidate_labels, multi_label, logits, labels, scores } of cases) {
      const rows = logits.map((row) => Float32Array.from(row));
      const scored = scoreLabels(rows, id2label, multi_label);
      expect(scored.map(({ index }) => candidate_labels[index])).toEqual(labels);
      expectClose(
        scored.map(({ score }) => score),
        scores,
        name,
      );
    }
  },
);

test('scores are finite for logits of any magnitude', () => {
  const rows = [[-1e4, 1e4].map(Number), [1e4, -1e4]].map((row) => Float32Array.from(row));
  const labels = { 0: 'contradiction', 1: 'entailment' };
  expect(scoreLabels(rows, labels).map(({ score }) => score)).toEqual([1, 0]);
  expect(scoreLabels(rows, labels, true).map(({ score }) => score)).toEqual([1, 0]);
});
