import { afterAll, expect, test } from 'vitest';
import { systemClock, type Clock } from '#platform/clock.ts';
import type {
  GuardrailProfile,
  GuardrailRule,
  Guardrails,
  GuardrailVerdict,
} from '#gateway/requests/guardrails/guardrail.ts';
import { createGuardrails, createStreamGuard } from '#gateway/requests/guardrails/guardrails.ts';
import { monitorHeader } from '#gateway/requests/policy/policy.ts';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import { startFixture } from '../../fixture-provider.ts';
import { manualClock } from '../../manual-clock.ts';
import { callOf, contentOf, eventsOf, providerOf, readStream } from '../../test-provider.ts';

const [encoder, openai] = [await startFixture('encoder'), await startFixture('openai')];
const PATHS = { guard: '', down: '/down', silent: '/silent', other: '/other' };
const encoders = new Map(
  Object.entries(PATHS).map(([name, path]) => [
    name,
    openProvider(
      { name, type: 'encoder', baseUrl: `${encoder.url}${path}`, local: true },
      { clock: systemClock, random: Math.random, onLine: () => undefined },
    ),
  ]),
);
afterAll(() => Promise.all([...encoders.values()].map((provider) => provider.close())));

const profileOf = (name: string): GuardrailProfile => ({
  name,
  encoder: name,
  labels: ['INJECTION'],
  threshold: 0.5,
});
const request = { requestId: 'r', signal: new AbortController().signal };

function guardrailsOf(demanded: readonly GuardrailRule[] = [], clock: Clock = systemClock): Guardrails {
  return createGuardrails({
    profiles: [...encoders.keys()].map(profileOf),
    demanded,
    classifier: (name) => encoders.get(name),
    clock,
  });
}

const rule = (profile: string, more: Partial<GuardrailRule> = {}): GuardrailRule => ({
  profile,
  mode: 'block',
  onUnavailable: 'block',
  on: ['input', 'output'],
  ...more,
});
const said = (content: string) => ({ messages: [{ role: 'user', content }] });

test('flagged requests are blocked with a reason, and other requests continue', async () => {
  const guardrails = guardrailsOf();
  const good = await guardrails.checkInput([rule('guard')], said('What is the weather?'), request);
  expect(good).toEqual({
    verdicts: [expect.objectContaining({ valid: true, score: 0.0625 })],
    blocked: undefined,
  });
  const bad = await guardrails.checkInput([rule('guard')], said('This is an attack.'), request);
  expect(bad.blocked).toMatchObject({
    code: 'ForbiddenError',
    message: 'Request blocked by guardrail policy: guard (INJECTION 0.938, threshold 0.5).',
    reason: 'guardrail_violation',
    details: [{ value: { profile: 'guard', score: 0.9375, explanation: 'INJECTION 0.938, threshold 0.5' } }],
  });
});

test.each([
  ['a part of a message', { messages: [{ role: 'user', content: [{ type: 'text', text: 'an attack' }] }] }],
  ['the system prompt', { system: [{ type: 'text', text: 'an attack' }], messages: [] }],
  [
    'a tool result',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'x', content: [{ type: 'text', text: 'an attack' }] },
          ],
        },
      ],
    },
  ],
  [
    'tool input',
    {
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', name: 'x', input: { deep: ['an attack'] } }] },
      ],
    },
  ],
  [
    'tool call arguments',
    {
      messages: [
        { role: 'assistant', tool_calls: [{ function: { name: 'x', arguments: '{"a":"an attack"}' } }] },
      ],
    },
  ],
  ['an item of the Responses API', { input: [{ type: 'function_call_output', output: 'an attack' }] }],
  ['the input of the Responses API', { input: 'an attack' }],
  ['embeddings input', { input: ['fine', 'an attack'] }],
  ['text after a long text', said(`${'fine '.repeat(2000)}an attack`)],
])('an attack is found in %s', async (_where, body) => {
  const { blocked } = await guardrailsOf().checkInput([rule('guard')], body, request);
  expect(blocked?.code).toBe('ForbiddenError');
});

test('a word is found at any position in a long text', async () => {
  for (let at = 0; at < 1000; at += 37) {
    const text = `${'x'.repeat(at)}attack${'y'.repeat(500)}`;
    expect(
      (await guardrailsOf().checkOutput([rule('guard')], text, request)).blocked,
      String(at),
    ).toBeDefined();
  }
});

test('monitoring reports a match without blocking', async () => {
  const { verdicts, blocked } = await guardrailsOf().checkInput(
    [rule('guard', { mode: 'monitor' })],
    said('attack'),
    request,
  );
  expect(blocked).toBeUndefined();
  expect(monitorHeader(verdicts)).toBe('[{"profile":"guard","mode":"monitor","valid":false,"score":0.9375}]');
});

test.each(['down', 'other', 'missing'])(
  'an unavailable encoder (%s) blocks requests, unless configured otherwise',
  async (name) => {
    const guardrails = guardrailsOf();
    const strict = await guardrails.checkInput([rule(name)], said('fine'), request);
    expect(strict.blocked).toMatchObject({
      code: 'UpstreamError',
      message: `Guardrail \`${name}\` is unavailable, and the policy blocks unchecked text. Retry later.`,
    });
    const lenient = await guardrails.checkInput(
      [rule(name, { onUnavailable: 'monitor' })],
      said('fine'),
      request,
    );
    expect(lenient).toMatchObject({ blocked: undefined, verdicts: [{ valid: false, score: undefined }] });
  },
);

test('an encoder that times out counts as unavailable', async () => {
  const clock = manualClock();
  const checking = guardrailsOf([], clock).checkInput([rule('silent')], said('fine'), request);
  await encoder.happened('waiting', 'silent');
  clock.advance(5000);
  expect((await checking).blocked?.code).toBe('UpstreamError');
});

test('a request can tighten the policy, but not weaken it', () => {
  const guardrails = guardrailsOf([rule('guard', { on: ['output'] })]);
  const lax = { profile: 'guard', mode: 'monitor', on_unavailable: 'monitor', on: ['input'] };
  expect(guardrails.rules([lax])).toEqual([rule('guard', { on: ['output', 'input'] })]);
  expect(guardrails.rules(undefined)).toEqual([rule('guard', { on: ['output'] })]);
  expect(guardrails.rules([{ profile: 'other' }])).toContainEqual(rule('other', { on: ['input'] }));
});

test.each([
  ['a value that is not a list', {}],
  ['a list that is too long', Array.from({ length: 9 }, () => ({ profile: 'guard' }))],
  ['an unknown profile', [{ profile: 'gard' }]],
  ['an unknown mode', [{ profile: 'guard', mode: 'off' }]],
  ['an unknown member', [{ profile: 'guard', on_unavailble: 'block' }]],
  ['an address', [{ profile: 'guard', url: 'http://169.254.169.254/' }]],
])('%s is rejected', (_what, requested) => {
  expect(() => guardrailsOf().rules(requested)).toThrow(expect.objectContaining({ code: 'InputError' }));
});

/** A stream that repeats the text, guarded. */
async function guarded(text: string, rules: readonly GuardrailRule[]) {
  const verdicts: GuardrailVerdict[] = [];
  const provider = providerOf('openai', openai);
  const body = { model: 'good', stream: true, messages: [{ role: 'user', content: text }] };
  const answer = await provider.chat(callOf('chat', body));
  const guard = guardrailsOf().streamGuard(rules, request, (found) => verdicts.push(...found));
  return { ...(await readStream(answer, { guard })), verdicts };
}

test('a stream without matches is sent unchanged', async () => {
  const text = 'fine '.repeat(300);
  const { text: out, summary, verdicts } = await guarded(text, [rule('guard')]);
  expect(contentOf(out)).toContain(text.trim());
  expect(out.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(summary.outcome).toBe('complete');
  expect(verdicts.every(({ valid }) => valid)).toBe(true);
  expect(verdicts.length).toBeGreaterThan(0);
});

test('streamed text is checked and sent in full windows, each of which overlaps the previous window', async () => {
  // Given
  const judged: string[] = [];
  const guard = createStreamGuard({
    blocks: true,
    windowLength: 10,
    windowOverlap: 3,
    check: async (text) => (judged.push(text), { verdicts: [], blocked: undefined }),
    onVerdicts: () => undefined,
  });
  // When
  const kinds: string[] = [];
  for (const piece of ['abcd', 'efgh', 'ij', 'kl', 'mnopq']) kinds.push((await guard.take(piece)).kind);
  kinds.push((await guard.end()).kind);
  // Then
  expect(kinds).toEqual(['hold', 'hold', 'pass', 'hold', 'pass', 'pass']);
  expect(judged).toEqual(['abcdefghij', 'hijklmnopq']);
});

test.each([10, 350, 395, 401, 1000])(
  'no text is sent from a window with a match at position %i',
  async (at) => {
    const { text, summary } = await guarded(`${'x'.repeat(at)}attack${'y'.repeat(700)}`, [rule('guard')]);
    expect(contentOf(text)).not.toContain('attack');
    const [error, done] = eventsOf(text)
      .slice(-2)
      .map(([, data]) => data);
    expect(JSON.parse(error ?? '')).toMatchObject({ error: { code: 'guardrail_violation' } });
    expect(done).toBe('[DONE]');
    expect(summary).toMatchObject({ outcome: 'blocked', error: { code: 'ForbiddenError' } });
    expect((await openai.happened('closed', 'good')).event).toBe('closed');
  },
);

test('a stream is blocked if its guardrail is unavailable', async () => {
  const { text, summary } = await guarded('fine', [rule('down')]);
  expect(contentOf(text)).toBe('');
  expect(text).toContain('"code":"guardrail_unavailable"');
  expect(summary.outcome).toBe('blocked');
});

test('monitoring does not delay a stream and reports at the end', async () => {
  const { text, summary, verdicts } = await guarded('an attack', [
    rule('guard', { mode: 'monitor', onUnavailable: 'monitor' }),
  ]);
  expect(contentOf(text)).toContain('attack');
  expect(summary.outcome).toBe('complete');
  expect(verdicts).toEqual([expect.objectContaining({ place: 'output', valid: false, score: 0.9375 })]);
});
