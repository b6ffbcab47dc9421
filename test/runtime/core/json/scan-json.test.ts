import { assert, jsonValue, property } from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonSize, scanJson } from '#core/json/scan-json.ts';
import { runAtOnce } from '#platform/run-yielding.ts';

const NO_LIMITS = { maxDepth: Infinity, maxValues: Infinity };
const measure = (text: string, limits = {}): JsonSize =>
  runAtOnce(scanJson(Buffer.from(text), { ...NO_LIMITS, ...limits }));

/** The lists and objects in a parsed text, and the members and items except the first of each. */
function countOf(value: unknown): { containers: number; more: number } {
  if (typeof value !== 'object' || value === null) return { containers: 0, more: 0 };
  const items = Object.values(value);
  return items
    .map(countOf)
    .reduce(
      (sum, { containers, more }) => ({ containers: sum.containers + containers, more: sum.more + more }),
      { containers: 1, more: Math.max(0, items.length - 1) },
    );
}

test('counts the lists, objects, members and items of any JSON, even with brackets in strings', () => {
  assert(
    property(jsonValue(), (value) => {
      const { containers, more } = countOf(value);
      expect(measure(JSON.stringify(value, null, 1))).toEqual({ heapBytes: 64 * containers + 16 * more });
      expect(measure(JSON.stringify(value), { maxValues: Math.max(containers, more) })).toHaveProperty(
        'heapBytes',
      );
      const less = measure(JSON.stringify(value), { maxValues: Math.max(0, Math.max(containers, more) - 1) });
      expect('exceeds' in less).toBe(containers > 0);
    }),
  );
});

test('reports that the maximum depth is exceeded', () => {
  expect(measure('[[[]]]', { maxDepth: 3 })).toHaveProperty('heapBytes');
  expect(measure('[[[{}]]]', { maxDepth: 3 })).toEqual({ exceeds: 'maxDepth' });
  expect(measure('["[[[[", "\\"[[[["]', { maxDepth: 1 })).toHaveProperty('heapBytes');
});
