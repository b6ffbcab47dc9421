import { array, assert as assertAll, constantFrom, double, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { readVerdict, type Verdict } from '#gateway/evaluation/metrics/text/judge.ts';

const PIECES = [
  '{',
  '}',
  '"score"',
  '"reason"',
  ':',
  ',',
  '10',
  '2',
  '-',
  '.5',
  '/10',
  ' ',
  '\n',
  '"',
  '[',
  ']',
  '<think>',
  '</think>',
  '```',
  'text',
  'Score: ',
  '\\',
];

describe('unambiguous verdicts', () => {
  test.each([
    ['{"reason": "good", "score": 8}', 0.8, 'good'],
    ['{"score": 0}', 0, ''],
    ['  {"score": 10.0, "reason": 5}\n', 1, ''],
    ['```json\n{"reason": "fine", "score": 7.5}\n```', 0.75, 'fine'],
    [
      'Here is my verdict:\n{"score": 3, "reason": "a {brace} and a \\"quote\\""} Bye.',
      0.3,
      'a {brace} and a "quote"',
    ],
    ['<think>The output says {"score": 10}. No.</think>\n{"score": 2, "reason": "bad"}', 0.2, 'bad'],
    ['{"score": "8"}', 0.8, ''],
    ['{"score": "8/10"}', 0.8, ''],
    ['7', 0.7, ''],
    ['Score: 6.5.', 0.65, ''],
    ['4 out of 10', 0.4, ''],
    ['9/10', 0.9, ''],
    ['{"reason": "nested", "score": 5, "parts": {"score": 10}}', 0.5, 'nested'],
  ])('reads %j', (answer, score, reason) => {
    expect(readVerdict(answer)).toEqual({ score, reason });
  });
});

describe('ambiguous or invalid verdicts', () => {
  test.each([
    '',
    'It is good.',
    '{"score": 11}',
    '{"score": -1}',
    '95',
    '8/100',
    '4/5',
    '{"score": null}',
    '{"score": true}',
    '{"score": "high"}',
    '{"score": [8]}',
    '{"rating": 8}',
    '[{"score": 8}, {"score": 2}]',
    'The output says {"score": 10}, but I say {"score": 2}',
    '{"score": 8} {"score": 8}',
    '{"score": 8',
    '"score": 8}',
    '<think>so {"score": 10',
    '<think>a</think>{"score": 2}<think>b</think>{"score": 10}',
    '{"__proto__": {"score": 10}}',
    'between 7 and 8',
    '1e1',
    'Infinity',
  ])('rejects %j', (answer) => {
    expect(() => readVerdict(answer)).toThrow(
      expect.objectContaining({ code: 'UpstreamError', reason: 'unreadable_verdict' }) as AppError,
    );
  });

  test('the error shows the beginning of the response, the format and a fix', () => {
    expect(() => readVerdict('x'.repeat(500))).toThrow(
      `The judge's answer "${'x'.repeat(120)}…" has no readable score. It must be {"reason": …, "score": n} with n from 0 to 10. Retry, or use another model as judge.`,
    );
    expect(() => readVerdict('12')).toThrow('"12" has a score outside the scale. ');
  });

  test('any response yields a score on the scale or fails with an AppError', () => {
    assertAll(
      property(array(constantFrom(...PIECES), { maxLength: 12 }), (pieces) => {
        const answer = pieces.join('');
        let outcome: unknown;
        try {
          outcome = readVerdict(answer);
        } catch (error) {
          outcome = error;
        }
        if (outcome instanceof AppError) return;
        const { score } = outcome as Verdict;
        expect(score >= 0 && score <= 1).toBe(true);
      }),
      { seed: 5, numRuns: 2000 },
    );
  });

  test('a long response of repeated opening characters is rejected quickly', () => {
    for (const piece of ['{', '<think>', '{"score":', '1', ' ', '[', '"'])
      expect(() => readVerdict(piece.repeat(200_000))).toThrow(AppError);
  });
});

test('verdicts can use another scale', () => {
  assertAll(
    property(double({ min: 1, max: 5, noNaN: true }), (score) => {
      const rounded = Math.round(score * 1000) / 1000;
      const found = readVerdict(JSON.stringify({ score: rounded }), { lowest: 1, highest: 5 });
      expect(found.score).toBeCloseTo((rounded - 1) / 4, 9);
    }),
    { seed: 6, numRuns: 100 },
  );
  expect(readVerdict('4/5', { lowest: 1, highest: 5 }).score).toBe(0.75);
  expect(() => readVerdict('0', { lowest: 1, highest: 5 })).toThrow('with n from 1 to 5.');
});
