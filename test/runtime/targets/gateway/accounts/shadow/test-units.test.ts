import { expect, test } from 'vitest';
import type { NumberedRow, Rating } from '#gateway/accounts/shadow/shadow-records.ts';
import { createTestUnits } from '#gateway/accounts/shadow/test-units.ts';

const WINDOW = 1000;
/** Rows are awaited as long again as the window, up to a minute. */
const CLOSED_AFTER = 2 * WINDOW;

let number = 0;
function row(unit: string, at: number, changes: Partial<NumberedRow> = {}): NumberedRow {
  number += 1;
  return {
    id: `row ${number}`,
    trial_id: 'trial',
    number,
    at,
    request_id: `request ${number}`,
    user_id: unit,
    api_key_id: 'key',
    model: 'openai:current',
    failed: 0,
    scores: { success: 1 },
    cost_nano: 1000n,
    candidate_cost_nano: null,
    scoring_cost_nano: 0n,
    duration_ms: 100,
    candidate_duration_ms: null,
    first_ms: null,
    candidate_first_ms: null,
    variant: 'current',
    unit,
    share: 0.5,
    output_tokens: 10,
    ...changes,
  };
}
const rating = (unit: string, at: number, changes: Partial<Rating> = {}): Rating => ({
  unit,
  variant: 'current',
  at,
  ratedAt: at + 1,
  thumb: 'up',
  score: null,
  ...changes,
});
const unitsWith = (rows: readonly NumberedRow[], maxScore = 1) => {
  const units = createTestUnits({ by: 'user', windowMs: WINDOW, maxScore }, ['success', 'feedback']);
  for (const one of rows) units.add(one);
  return units;
};

test('a unit counts once with the means of its requests, when its window is over', () => {
  const units = unitsWith([
    row('ada', 0),
    row('ada', 10, { failed: 1, scores: { success: 0 }, cost_nano: 3000n, duration_ms: 300 }),
    row('bob', 500, { variant: 'candidate' }),
  ]);
  expect(units.close([], CLOSED_AFTER - 1)).toEqual([]);
  expect(units.close([], CLOSED_AFTER)).toMatchObject([
    { isCandidate: false, requests: 2, failed: 1, values: { success: 0.5 }, cost: 2000, durationMs: 200 },
  ]);
  expect([units.waiting(), units.nextEnd()]).toEqual([1, 500 + CLOSED_AFTER]);
  expect(units.close([], 500 + CLOSED_AFTER)).toMatchObject([{ isCandidate: true, requests: 1 }]);
  expect(units.close([], Infinity)).toEqual([]);
});

test('requests after the window, in another variant, or after the unit was counted do not change it', () => {
  const units = unitsWith([
    row('ada', 0),
    row('ada', WINDOW, { scores: { success: 0 } }),
    row('ada', 10, { scores: { success: 0 }, variant: 'candidate' }),
  ]);
  expect(units.close([], CLOSED_AFTER)).toMatchObject([{ requests: 1, values: { success: 1 } }]);
  units.add(row('ada', 20, { scores: { success: 0 } }));
  expect(units.close([], Infinity)).toEqual([]);
});

test('feedback counts if it is on a counted request and in time', () => {
  const units = unitsWith([row('ada', 0), row('ada', 10)]);
  const ratings = [
    rating('ada', 0),
    rating('ada', 10, { thumb: 'down' }),
    rating('ada', 10, { ratedAt: CLOSED_AFTER }),
    rating('ada', WINDOW),
    rating('ada', 0, { variant: 'candidate' }),
    rating('bob', 0),
  ];
  expect(units.close(ratings, CLOSED_AFTER)[0]?.values).toEqual({ success: 1, feedback: 0.5 });
});

test('scores are relative to the highest one, and a unit without feedback has no value', () => {
  const units = unitsWith([row('ada', 0), row('bob', 0), row('eve', 0)], 5);
  const scored = (unit: string, score: number) => rating(unit, 0, { thumb: null, score });
  const closed = units.close([scored('ada', 4), scored('bob', 80)], CLOSED_AFTER);
  expect(closed.map(({ values }) => values['feedback'])).toEqual([0.8, 1, undefined]);
});

test('ratings that were read before a unit’s window is over are not counted twice', () => {
  const units = unitsWith([row('ada', 0), row('bob', 500)]);
  const ratings = [rating('ada', 0), rating('bob', 500), rating('bob', 500, { thumb: 'down' })];
  units.close(ratings, CLOSED_AFTER);
  expect(units.close(ratings, 500 + CLOSED_AFTER)[0]?.values['feedback']).toBe(0.5);
});

test('units are counted in the order of their first requests', () => {
  const units = unitsWith([row('late', 600), row('early', 0)]);
  expect(units.close([], 599 + CLOSED_AFTER)).toEqual([]);
  expect(units.close([], 600 + CLOSED_AFTER)).toHaveLength(2);
});
