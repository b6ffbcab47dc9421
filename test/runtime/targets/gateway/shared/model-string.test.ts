import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseModel } from '#gateway/shared/model-string.ts';
import { orderByWeight } from '#gateway/shared/weighted-order.ts';

test.each([
  ['openai:gpt-4o', 'openai', 'gpt-4o'],
  ['openai/gpt-4o', 'openai', 'gpt-4o'],
  ['openrouter:meta/llama:free', 'openrouter', 'meta/llama:free'],
  ['openrouter/meta:free', 'openrouter', 'meta:free'],
  [' OpenAI : gpt-4o ', 'openai', 'gpt-4o'],
])('parses %s', (text, provider, model) => {
  expect(parseModel(text)).toEqual({ provider, model });
});

test.each(['gpt-4o', '', ':', 'openai:', ':gpt', '/x', 'openai/ ', ' : x'])(
  '%j does not name a model',
  (text) => {
    expect(parseModel(text)).toBeUndefined();
  },
);

test('targets are drawn by weight, each once', () => {
  const targets = [
    { model: 'a:1', weight: 3 },
    { model: 'b:1', weight: 1 },
    { model: 'c:1', weight: 0 },
  ];
  let seed = 1;
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const first: Record<string, number> = {};
  for (let draws = 0; draws < 4000; draws += 1) {
    const order = orderByWeight(targets, random).map(({ model }) => model);
    expect([...order].sort()).toEqual(['a:1', 'b:1', 'c:1']);
    expect(order.at(-1)).toBe('c:1');
    first[order[0] ?? ''] = (first[order[0] ?? ''] ?? 0) + 1;
  }
  expect((first['a:1'] ?? 0) / 4000).toBeCloseTo(0.75, 1);
});

test('all targets are returned for any weights', () => {
  const some = fc.array(
    fc.record({ model: fc.string(), weight: fc.double({ min: 0, max: 100, noNaN: true }) }),
  );
  fc.assert(
    fc.property(some, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (targets, random) => {
      const namesOf = (all: typeof targets): string[] =>
        all.map(({ model }) => model).toSorted((one, other) => (one < other ? -1 : Number(one > other)));
      expect(namesOf(orderByWeight(targets, () => random))).toEqual(namesOf(targets));
    }),
  );
});
