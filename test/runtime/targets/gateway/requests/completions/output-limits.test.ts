import { expect, test } from 'vitest';
import { parseLossless } from '#core/json/lossless-json.ts';
import { ENDPOINTS } from '#gateway/requests/completions/endpoints/index.ts';
import { geminiEndpoint } from '#gateway/requests/completions/endpoints/gemini.ts';

const ASSUMED = 1024;
/** Routes with an output limit, and its names in their API. */
const OWN: Record<string, readonly string[]> = {
  '/v1/chat/completions': ['max_completion_tokens', 'max_tokens'],
  '/v1/messages': ['max_tokens'],
  '/v1/responses': ['max_output_tokens'],
  '/v1/completions': ['max_tokens'],
};
const FOREIGN = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_new_tokens', 'n_predict'];
const endpoints = Object.entries(ENDPOINTS).filter(([route]) => route in OWN);

test('every route in this table exists', () => {
  expect(endpoints).toHaveLength(Object.keys(OWN).length);
});

test.each(endpoints)(
  '%s: the reservation covers the largest output limit under any of its names',
  (route, rules) => {
    const limit = (body: object): number => rules.maxOutputTokens({ ...body }, ASSUMED);
    expect(limit({})).toBe(ASSUMED);
    for (const own of OWN[route] ?? []) {
      expect(limit({ [own]: 5 })).toBe(5);
      expect(limit({ [own]: null })).toBe(ASSUMED);
      for (const other of FOREIGN.filter((name) => name !== own)) {
        expect(limit({ [own]: 5, [other]: 100_000 })).toBe(100_000);
        expect(limit({ [own]: 100_000, [other]: 5 })).toBe(100_000);
      }
    }
    // The provider may not know another name, so the assumed number still counts.
    expect(limit({ n_predict: 5 })).toBe(ASSUMED);
    expect(limit({ n_predict: parseLossless('99999999999999999999') })).toBe(1_000_000);
  },
);

test.each([
  [{ generationConfig: { maxOutputTokens: 5 } }, 5],
  [{ generationConfig: { maxOutputTokens: 5, max_output_tokens: 9000 } }, 9000],
  [{ generationConfig: { max_output_tokens: '9000' } }, 9000],
  [{ generationConfig: { maxOutputTokens: 5 }, generation_config: { maxOutputTokens: 9000 } }, 9000],
  [{ generation_config: { max_output_tokens: 9000 } }, 9000],
  [{ generationConfig: { maxOutputTokens: 5, candidateCount: 1, candidate_count: 7 } }, 35],
  [{ generationConfig: null }, ASSUMED],
])('Gemini fields can have either spelling: %j', (body, expected) => {
  expect(geminiEndpoint.maxOutputTokens(body, ASSUMED)).toBe(expected);
});
