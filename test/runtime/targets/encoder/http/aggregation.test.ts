import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { predictResponse } from '#encoder/predict/predict.ts';
import { TOLERANCE } from '#test/helpers/close.ts';
import { type Entity, readGoldenEntities } from '#test/helpers/golden-entities.ts';
import { expectToMatch } from './matches.ts';
import { openApp, type OpenApp } from './open-app.ts';

const cases = readGoldenEntities();
const inputs = cases.map(({ text }) => text);

let open: OpenApp | undefined;
beforeAll(async () => {
  open = await openApp('ner');
});
afterAll(() => open?.close());

async function entitiesOf(body: Record<string, unknown>): Promise<(Entity[] | undefined)[]> {
  const response = await open?.post('/predict', body);
  expect(response?.status).toBe(200);
  const answer = (await response?.json()) as { results: { entities?: Entity[] }[] };
  expectToMatch(answer, predictResponse({ modelType: 'token_classification' }));
  return answer.results.map(({ entities }) => entities);
}

describe('aggregation', () => {
  test.each(['simple', 'first', 'average', 'max'])(
    '%s finds the same entities as transformers',
    async (aggregation) => {
      expect(cases.length).toBeGreaterThan(50);
      const found = await entitiesOf({ inputs, aggregation });
      for (const [at, { groups }] of cases.entries()) {
        const expected = groups[aggregation] ?? [];
        expect(
          found[at]?.map(({ entity_group, start, end, word }) => [entity_group, start, end, word]),
        ).toEqual(expected.map(([entity_group, , start, end, word]) => [entity_group, start, end, word]));
        for (const [index, [, score]] of expected.entries()) {
          expect(Math.abs((found[at]?.[index]?.score ?? Number.NaN) - score)).toBeLessThan(TOLERANCE);
        }
      }
    },
  );

  test('none, null and an omitted value add no entities', async () => {
    for (const body of [{ aggregation: 'none' }, { aggregation: null }, {}]) {
      expect(await entitiesOf({ inputs: ['Anna Smith'], ...body })).toEqual([undefined]);
    }
  });

  test('accepts single texts only', async () => {
    const response = await open?.post('/predict', { inputs: ['a', ['b', 'c']], aggregation: 'max' });
    expect([response?.status, await response?.text()]).toEqual([
      422,
      'inputs/1 is a pair, but aggregation requires single texts. Send pairs without aggregation.',
    ]);
  });

  test('an unknown value is rejected', async () => {
    const response = await open?.post('/predict', { inputs: ['a'], aggregation: 'mean' });
    expect([response?.status, await response?.text()]).toEqual([
      422,
      'aggregation must be one of none, simple, first, average, max, not "mean"',
    ]);
  });
});
