import { expect, test } from 'vitest';
import { keysOf } from '#core/values/keys.ts';
import type { Endpoint } from '#gateway/requests/completions/completion.ts';
import { ENDPOINTS } from '#gateway/requests/completions/endpoints/index.ts';
import { chooseVariant } from '#gateway/requests/completions/variant.ts';
import { abTestsOf } from '#gateway/requests/routing/ab-tests.ts';
import { createRouter } from '#gateway/requests/routing/router.ts';
import { createTestClock } from '../../test-clock.ts';

const AB = {
  baseline: ['openai:current'],
  model: 'openai:candidate',
  share: 0.99,
  by: 'user',
  metrics: ['success'],
  judge: undefined,
  user: undefined,
  judgeShare: 0,
  maxScore: 1,
  windowMs: 1000,
  margin: 0.05,
  confidence: 0.95,
  maxRows: 1000,
  retentionMs: undefined,
} as const;
const aliases = [{ name: 'fast', targets: [{ model: 'openai:current' }], ab: AB }];
const providers = [{ name: 'openai', type: 'openai' }] as never;
const router = createRouter({ providers, aliases, clock: createTestClock(), random: () => 0.5 });
const ab = abTestsOf(aliases)?.get('fast');

/** The variant of a request on a route. */
function chosen(endpoint: Endpoint, kind: 'key' | 'work', more: object = {}): string {
  if (!ab) throw new Error('There is no test.');
  const { variant, reason } = chooseVariant(ab, {
    set: { router } as never,
    request: { endpoint, caller: { kind } as never, headers: { get: () => undefined } },
    body: {},
    spender: { user: { userId: 'ada' }, key: { id: 'key' }, groups: [], ...more } as never,
    endUser: undefined,
    places: [],
  });
  return reason ?? variant;
}

test('all routes that generate text belong to a test, and no others', () => {
  const found = keysOf(ENDPOINTS).map((endpoint) => [endpoint, chosen(endpoint, 'key')]);
  expect(Object.fromEntries(found)).toEqual({
    '/v1/chat/completions': 'candidate',
    '/v1/completions': 'candidate',
    '/v1/messages': 'candidate',
    '/v1/responses': 'candidate',
    '/v1beta/models/{model}:generateContent': 'candidate',
    '/v1beta/models/{model}:streamGenerateContent': 'candidate',
    '/v1/embeddings': 'endpoint',
    '/v1/classify': 'endpoint',
    '/v1/moderations': 'endpoint',
    '/v1/rerank': 'endpoint',
    '/v1/images/generations': 'endpoint',
    '/v1/audio/transcriptions': 'endpoint',
    '/v1/audio/translations': 'endpoint',
    '/v1/audio/speech': 'endpoint',
    '/v1beta/models/{model}:embedContent': 'endpoint',
    '/v1beta/models/{model}:batchEmbedContents': 'endpoint',
  });
});

test('jobs, and users who are excluded from evaluations, get the current model', () => {
  expect(chosen('/v1/chat/completions', 'work')).toBe('job');
  const forbidden = { user: { userId: 'ada', noShadow: true } };
  expect(chosen('/v1/chat/completions', 'key', forbidden)).toBe('forbidden');
  expect(chosen('/v1/chat/completions', 'key', { groups: [{ noShadow: true }] })).toBe('forbidden');
});

test('without a variant, an alias resolves to its targets; with the candidate, it comes before them', () => {
  const keysOfTargets = (isCandidate: boolean) =>
    router.resolve('fast', false, undefined, isCandidate).targets.map(({ key }) => key);
  expect(keysOfTargets(false)).toEqual(['openai:current']);
  expect(keysOfTargets(true)).toEqual(['openai:candidate', 'openai:current']);
  expect(router.resolve('fast').candidate).toBeUndefined();
});
