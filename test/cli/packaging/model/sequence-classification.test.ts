import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scoreFunctionOf } from '#cli/packaging/model/sequence-classification.ts';
import { applyScoreFunction } from '#core/numbers/score-function.ts';
import { largestDifference, TOLERANCE } from '../../../helpers/close.ts';
import { FIXTURES } from '../../../helpers/paths.ts';

/** Logits, and the scores that the transformers pipeline computes from them (fixtures/scripts/make_scores.py). */
const { cases } = JSON.parse(readFileSync(join(FIXTURES, 'golden', 'scores.json'), 'utf8')) as {
  cases: { problem_type: string | null; logits: number[]; scores: number[] }[];
};

test('golden scores exist for every problem type, with one label and with several', () => {
  const kinds = cases.map(({ problem_type, logits }) => `${problem_type} ${Math.min(logits.length, 2)}`);
  expect(new Set(kinds).size).toBe(8);
});

test.each(cases)('$problem_type with $logits has the same scores as transformers', (golden) => {
  const { problem_type, logits, scores } = golden;
  const chosen = scoreFunctionOf({ problem_type }, logits.length);
  const computed = applyScoreFunction(chosen, Float32Array.from(logits));
  expect(largestDifference([...computed], scores)).toBeLessThan(TOLERANCE);
});
