import { expect, test } from 'vitest';
import { chooseEntities, type OverlapRules } from '#encoder/math/choose-entities.ts';
import { type EntitySpan, entityCandidates } from '#encoder/math/entity-candidates.ts';

/** A direct implementation of the rules, which compares each pair of spans. */
function chooseByPairs(candidates: readonly EntitySpan[], { flat, multiLabel }: OverlapRules): EntitySpan[] {
  const chosen: EntitySpan[] = [];
  const contains = (one: EntitySpan, other: EntitySpan): boolean =>
    one.start <= other.start && one.end >= other.end;
  const conflict = (one: EntitySpan, other: EntitySpan): boolean => {
    if (one.start === other.start && one.end === other.end) return !multiLabel;
    if (one.start > other.end || other.start > one.end) return false;
    return flat || !(contains(one, other) || contains(other, one));
  };
  for (const span of candidates.toSorted((one, other) => other.score - one.score)) {
    if (!chosen.some((other) => conflict(span, other))) chosen.push(span);
  }
  return chosen.toSorted((one, other) => one.start - other.start);
}

/** Numbers from 0 to 1, identical in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

test('the choice is the same as with a comparison of all pairs, for every rule and for equal scores', () => {
  const next = numbers(68);
  for (let round = 0; round < 300; round++) {
    const words = 1 + Math.floor(next() * 12);
    const candidates = Array.from({ length: Math.floor(next() * 40) }, () => {
      const start = Math.floor(next() * words);
      const end = start + Math.floor(next() * (words - start));
      return { start, end, type: Math.floor(next() * 3), score: Math.round(next() * 8) / 8 };
    });
    for (const flat of [true, false]) {
      for (const multiLabel of [true, false]) {
        const rules = { flat, multiLabel };
        expect(chooseEntities(candidates, rules)).toEqual(chooseByPairs(candidates, rules));
      }
    }
  }
});

test('a threshold of 0 on a long text finishes quickly', () => {
  const [words, maxWidth, types] = [384, 12, 25];
  const next = numbers(1);
  const logits = Float32Array.from({ length: words * maxWidth * types }, () => next() * 10 - 5);
  const spans = entityCandidates({ logits, words, types }, { level: 'span', maxWidth }, 0);
  expect(spans.length).toBe(types * (words * maxWidth - (maxWidth * (maxWidth - 1)) / 2));
  expect(chooseEntities(spans, { flat: false, multiLabel: true }).length).toBeGreaterThan(words);
});
