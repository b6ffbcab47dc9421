import { expect, test } from 'vitest';
import { runAtOnce } from '#platform/run-yielding.ts';
import type { Steps } from '#core/limits/steps.ts';
import {
  SPANS_PER_STEP,
  withoutOverlaps,
  type FoundSpan,
} from '#gateway/requests/guardrails/judges/judgement.ts';
import { createKnownValues } from '#gateway/requests/guardrails/mask/known-values.ts';
import { maskTexts, replaceSpans } from '#gateway/requests/guardrails/mask/mask-texts.ts';
import { createPlaceholders } from '#gateway/requests/guardrails/mask/placeholders.ts';
import { openMasking, patternsOf, rule } from './open-masking.ts';

/** Random numbers that are the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

test("a request with tens of thousands of values is masked within the test's time limit", async () => {
  const ids = Array.from({ length: 40_000 }, (_, index) => `DE${String(index).padStart(20, '0')}`);
  const content = ids.join(' ');
  const rules = [rule('ids', { on: ['input'] })];
  const profile = { ...patternsOf({ IBAN: String.raw`DE\d{20}` }), timeoutMs: 60_000 };
  const { guardrails } = openMasking({ profile, rules });
  const request = { requestId: 'r-1', signal: new AbortController().signal };
  const body = {
    messages: [
      { role: 'user', content },
      { role: 'user', content },
    ],
  };
  const { masked, blocked } = await guardrails.checkInput(rules, body, request);
  expect(blocked).toBeUndefined();
  const expected = ids.map((_, index) => `[IBAN_${index + 1}]`).join(' ');
  expect(masked?.body).toEqual({
    messages: [
      { role: 'user', content: expected },
      { role: 'user', content: expected },
    ],
  });
  expect(masked?.placeholders.restore(expected)).toBe(content);
});

test('masking a long text yields regularly, so that other requests are not blocked', () => {
  const values = Array.from({ length: 20_000 }, (_, index) => `DE${String(index).padStart(20, '0')}`);
  const text = values.join(' ');
  const found = values.map((_, index) => ({
    start: index * 23,
    end: index * 23 + 22,
    label: 'IBAN',
    score: 1,
  }));
  const placeholders = createPlaceholders('');
  const perStep = (steps: Steps<unknown>, count: number): number => {
    let turns = 1;
    while (steps.next().done !== true) turns += 1;
    return count / turns;
  };
  expect(perStep(withoutOverlaps(found), found.length)).toBeLessThanOrEqual(SPANS_PER_STEP);
  expect(perStep(maskTexts([text], [found], placeholders), found.length)).toBeLessThanOrEqual(SPANS_PER_STEP);
  expect(perStep(replaceSpans(text, found, placeholders), found.length)).toBeLessThanOrEqual(SPANS_PER_STEP);
  expect(placeholders.values.size).toBe(values.length);
});

test('the longest of several overlapping spans is kept, regardless of the number of spans', () => {
  const below = numbers(7);
  for (let round = 0; round < 300; round += 1) {
    const length = 20 + below(200);
    const spans = Array.from({ length: 1 + below(80) }, (): FoundSpan => {
      const start = below(length);
      return { start, end: start + 1 + below(12), label: 'x', score: 1 };
    });
    const kept: FoundSpan[] = [];
    const longestFirst = spans.toSorted(
      (one, other) => other.end - other.start - (one.end - one.start) || one.start - other.start,
    );
    for (const span of longestFirst)
      if (!kept.some(({ start, end }) => span.start < end && start < span.end)) kept.push(span);
    expect(runAtOnce(withoutOverlaps(spans))).toEqual(kept.toSorted((one, other) => one.start - other.start));
  }
});

test('a search for all known values finds the same whole words as a separate search for each value', () => {
  const below = numbers(11);
  const pieces = ['Anna', 'An', 'na', ' ', '-', '.', '+', 'é', '東京', '_', '1', '😀', '𝐀', '\u0301'];
  const random = (most: number): string =>
    Array.from({ length: 1 + below(most) }, () => pieces[below(pieces.length)]).join('');
  const isWord = (character = ''): boolean => /[\p{L}\p{N}_]/u.test(character);
  for (let round = 0; round < 300; round += 1) {
    const values = [...new Set(Array.from({ length: 1 + below(6) }, () => random(4)))];
    const text = random(40);
    const known = createKnownValues();
    for (const value of values) known.add(value);
    const expected = new Set<string>();
    for (const value of values) {
      if (value.length < 3) continue;
      for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
        const end = at + value.length;
        const before = Array.from(text.slice(0, at)).at(-1);
        if (!isWord(before) && !isWord(Array.from(text.slice(end))[0])) expected.add(`${at}-${end}`);
      }
    }
    const found = runAtOnce(known.occurrencesIn(text)).map(({ start, end }) => `${start}-${end}`);
    expect(new Set(found)).toEqual(expected);
    const open = [...Array(text.length).keys()].find((at) =>
      values.some((value) => value.startsWith(text.slice(at))),
    );
    expect(known.openEnd(text)).toBe(open ?? text.length);
  }
});
