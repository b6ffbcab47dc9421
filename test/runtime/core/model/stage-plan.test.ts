import { expect, test } from 'vitest';
import type { StaticForm } from '#contract/manifest.ts';
import { DEFAULT_CANDIDATES, planRanking, planStage } from '#core/model/stage-plan.ts';

const staticForm = {} as StaticForm;
const both = { name: 'both', staticForm };
const one = { name: 'one' };
const NEEDS = 'requires a model that was built with `distill: both`, but one has no static form.';

test('the default is the model itself, with one form and with both', () => {
  for (const model of [one, both]) {
    for (const stage of [undefined, null, 'exact']) {
      expect(planStage(model, stage)).toBe('exact');
      expect(planRanking(model, { stage, candidates: null })).toEqual({
        stage: 'exact',
        candidates: DEFAULT_CANDIDATES,
      });
    }
  }
  expect(planStage(both, 'fast')).toBe('fast');
  expect(planRanking(both, { stage: 'fast' }).stage).toBe('fast');
});

test('a number of candidates alone means two stages', () => {
  expect(planRanking(both, { stage: 'two_stage' })).toEqual({ stage: 'two_stage', candidates: 50 });
  expect(planRanking(both, { candidates: 3 })).toEqual({ stage: 'two_stage', candidates: 3 });
  expect(planRanking(both, { stage: null, candidates: 3 }).stage).toBe('two_stage');
  expect(planRanking(both, { stage: 'two_stage', candidates: 7 }).candidates).toBe(7);
});

test.each([
  [() => planStage(one, 'fast'), `stage "fast" ${NEEDS}`],
  [() => planStage(one, 'nonsense'), `stage "nonsense" ${NEEDS}`],
  [() => planStage(one, 'fast', '--stage'), `--stage "fast" ${NEEDS} Remove --stage`],
  [() => planStage(both, 'two_stage'), 'stage must be one of exact, fast, not "two_stage"'],
  [() => planStage(both, 'x'.repeat(1000)), `not "${'x'.repeat(100)}"`],
  [() => planRanking(one, { stage: 'two_stage' }), `stage "two_stage" ${NEEDS}`],
  [() => planRanking(one, { candidates: 5 }), `candidates 5 ${NEEDS} Remove candidates`],
  [() => planRanking(both, { stage: 'exact', candidates: 5 }), 'requires stage "two_stage", not "exact"'],
  [() => planRanking(both, { stage: 'fast', candidates: 5 }), 'requires stage "two_stage", not "fast"'],
  [() => planRanking(both, { stage: 'slow' }), 'must be one of two_stage, exact, fast, not "slow"'],
])('rejection %#', (plan, message) => {
  expect(plan).toThrow(message);
});
