import { array, assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { sortedLabels } from '#gateway/evaluation/metrics/averages.ts';

test('labels are sorted by code point, without duplicates', () => {
  // Characters below, between and above the surrogates that UTF-16 uses beyond U+FFFF.
  const unit = constantFrom(
    'a',
    '\u00E9',
    '\uD7FF',
    '\uFF21',
    '\uFFFD',
    '\u{10000}',
    '\u{1F600}',
    '\u{1F601}',
  );
  const texts = array(string({ unit, maxLength: 4 }), { maxLength: 12 });
  assert(
    property(texts, (labels) => {
      const sorted = sortedLabels(labels);
      expect(new Set(sorted)).toEqual(new Set(labels));
      for (const [at, label] of sorted.slice(1).entries())
        expect(isBefore(codePoints(sorted[at] ?? ''), codePoints(label))).toBe(true);
    }),
    { numRuns: 500 },
  );
  expect(sortedLabels(['\u{1F600}', '\uFF21', 'a', ''])).toEqual(['', 'a', '\uFF21', '\u{1F600}']);
});

const codePoints = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0) ?? 0);

function isBefore([first, ...rest]: number[], [other, ...others]: number[]): boolean {
  if (first === undefined || other === undefined) return other !== undefined;
  return first === other ? isBefore(rest, others) : first < other;
}
