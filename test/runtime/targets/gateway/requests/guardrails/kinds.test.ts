import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { compileLinearPattern } from '#platform/linear-pattern.ts';
import type {
  EntityProfile,
  GuardrailProfile,
  GuardrailRule,
  PatternProfile,
} from '#gateway/requests/guardrails/guardrail.ts';
import { createGuardrails } from '#gateway/requests/guardrails/guardrails.ts';
import { restoreAnswer } from '#gateway/requests/guardrails/mask/restore.ts';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import type { Provider } from '#gateway/providers/adapters/provider.ts';
import { builtExecutable } from '#test/helpers/built.ts';

const request = { requestId: 'r-1', signal: new AbortController().signal };
const rule = (profile: string, more: Partial<GuardrailRule> = {}): GuardrailRule => ({
  profile,
  mode: 'block',
  onUnavailable: 'block',
  on: ['input', 'output'],
  ...more,
});
const said = (content: string) => ({ model: 'm', messages: [{ role: 'user', content }] });
const guardrailsOf = (profile: GuardrailProfile, encoder?: Provider) => {
  const guardrails = createGuardrails({
    profiles: [profile],
    classifier: () => encoder,
    clock: systemClock,
  });
  onTestFinished(() => guardrails.close());
  return guardrails;
};

const ner = openProvider(
  { name: 'ner', type: 'encoder', path: builtExecutable('ner') },
  { clock: systemClock, random: () => 0, onLine: () => undefined },
);
afterAll(() => ner.close());
const PII: EntityProfile = {
  name: 'pii',
  kind: 'entities',
  encoder: 'ner',
  entities: ['PER', 'LOC'],
  threshold: 0.8,
  action: 'mask',
};

test('an executable masks names for the model and restores them in the response', async () => {
  const guardrails = guardrailsOf(PII, ner);
  const body = {
    ...said('Anna Smith Peter Weber met in Paris'),
    // After a surrogate pair, beyond one window, and in tool arguments.
    system: `🙂🙂 ${'it is new . '.repeat(60)}\nAnna Smith Peter Weber met in Paris`,
    tools: [{ type: 'function', function: { name: 'Paris', description: 'x' } }],
    user: 'Anna Smith',
    other: { input: { city: 'Paris', note: 'from Anna Smith.' } },
  };
  const { masked, verdicts, blocked } = await guardrails.checkInput([rule('pii')], body, request);
  expect(blocked).toBeUndefined();
  expect(masked?.body).toMatchObject({
    messages: [{ content: '[PER_1] [PER_2] met in [LOC_1]' }],
    system: expect.stringMatching(/^🙂🙂 it is.*\n\[PER_1\] \[PER_2\] met in \[LOC_1\]$/s),
    tools: [{ function: { name: 'Paris' } }],
    user: 'Anna Smith',
    other: { input: { city: '[LOC_1]', note: 'from [PER_1].' } },
  });
  expect(verdicts).toMatchObject([
    { valid: true, explanation: expect.stringMatching(/^masked: PER \d+, LOC \d+$/) },
  ]);
  const answer = { choices: [{ message: { content: 'Hi [PER_2] of [LOC_1] [PER_9]' } }], n: 1 };
  if (!masked) throw new Error('nothing is masked');
  const restored = restoreAnswer(Buffer.from(JSON.stringify(answer)), masked.placeholders);
  expect(JSON.parse(Buffer.from(restored).toString())).toEqual({
    choices: [{ message: { content: 'Hi Peter Weber of Paris [PER_9]' } }],
    n: 1,
  });

  const blocking = guardrailsOf({ ...PII, action: 'block' as const, entities: ['LOC'] }, ner);
  const refused = await blocking.checkInput([rule('pii')], said('met in Paris'), request);
  expect(refused.blocked?.message).toBe('Request blocked by guardrail policy: pii (LOC 1).');
  expect((await blocking.checkOutput([rule('pii')], 'met in Paris', request)).blocked).toBeDefined();
});

test('without an encoder, no unmasked text is sent unless the rule allows it', async () => {
  const guardrails = guardrailsOf(PII, undefined);
  const strict = await guardrails.checkInput([rule('pii')], said('Anna'), request);
  expect(strict.blocked).toMatchObject({ code: 'UpstreamError', reason: 'guardrail_unavailable' });
  const open = await guardrails.checkInput(
    [rule('pii', { onUnavailable: 'monitor' })],
    said('Anna'),
    request,
  );
  expect(open).toMatchObject({ blocked: undefined, masked: undefined });
  const looking = await guardrailsOf(PII, ner).checkInput(
    [rule('pii', { mode: 'monitor' })],
    said('Anna Smith'),
    request,
  );
  expect(looking).toMatchObject({ masked: undefined, verdicts: [{ valid: false }] });
});

const PATTERNS: PatternProfile = {
  name: 'secrets',
  kind: 'patterns',
  action: 'block',
  patterns: new Map([
    ['IBAN', compileLinearPattern(String.raw`[A-Z]{2}\d{2}(?:[ ]?\d{4}){2,7}`)],
    ['slow', compileLinearPattern('a[^]*b|a')],
  ]),
};

test('patterns block or mask text, and a text that takes too long to check is blocked', async () => {
  const guardrails = guardrailsOf(PATTERNS);
  const found = await guardrails.checkInput([rule('secrets')], said('to DE89 3704 0044 0532'), request);
  expect(found.blocked?.message).toContain('secrets (IBAN 1)');
  expect((await guardrails.checkOutput([rule('secrets')], 'none', request)).blocked).toBeUndefined();
  const slow = await guardrails.checkInput([rule('secrets')], said('a'.repeat(200_000)), request);
  expect(slow.blocked?.reason).toBe('guardrail_unavailable');

  const masking = guardrailsOf({ ...PATTERNS, action: 'mask' as const });
  const { masked } = await masking.checkInput(
    [rule('secrets')],
    said('DE89 3704 0044 0532, [IBAN_1]'),
    request,
  );
  expect(masked?.body).toMatchObject({ messages: [{ content: '[IBAN_2], [IBAN_1]' }] });
  expect(() => masking.rules([{ profile: 'secrets', on: ['output'], restore: true }])).toThrow(
    'Guardrail `secrets` does not mask requests; `restore` requires `on: input` or `on: both`.',
  );
  expect(() => guardrails.rules([{ profile: 'secrets', restore: false }])).toThrow('does not mask anything');
  expect(() => masking.rules([{ profile: 'secrets', restore: 'no' }])).toThrow(
    '`guardrails[0].restore` must be true or false.',
  );
  const kept = await masking.checkInput(
    [rule('secrets', { isRestored: false })],
    said('DE89 3704 0044 0532'),
    request,
  );
  expect(kept.masked?.placeholders.hasRestored()).toBe(false);
  expect(kept.masked?.placeholders.restore('[IBAN_1]')).toBe('[IBAN_1]');
});

test('a response must match its schema, and patterns in the schema cannot block the process', async () => {
  const schema = {
    type: 'object',
    required: ['n'],
    properties: { n: { type: 'integer' }, s: { type: 'string', pattern: '^(a+)+$' } },
  };
  const guardrails = guardrailsOf({ name: 'form', kind: 'schema', schema, retries: 2 });
  const check = async (text: string) => {
    const { verdicts, blocked, retries } = await guardrails.checkOutput([rule('form')], text, request);
    return [verdicts[0]?.explanation, blocked?.reason, retries];
  };
  expect(await check('{"n": 1}')).toEqual(['matches the schema', undefined, 0]);
  expect(await check('thinking [1] … {"n": 1}')).toEqual(['matches the schema', undefined, 0]);
  expect(await check('')).toEqual(['matches the schema', undefined, 0]);
  expect(await check('Sorry')).toEqual(['the response is not JSON', 'guardrail_violation', 2]);
  expect(await check('{"n": "1"}')).toEqual(['/n must be integer', 'guardrail_violation', 2]);
  const evil = `{"n": 1, "s": "${'a'.repeat(50_000)}!"}`;
  expect((await check(evil))[0]).toBe('/s must match pattern "^(a+)+$"');

  const guard = guardrails.streamGuard([rule('form')], request, () => undefined);
  expect(await guard?.take('{"n"')).toEqual({ kind: 'hold' });
  expect(await guard?.take(': true}')).toEqual({ kind: 'hold' });
  expect(await guard?.end()).toMatchObject({ kind: 'block' });
});

test('a webhook decides whether text is blocked, and a slow, broken or unreachable webhook counts as unavailable', async () => {
  const asked: unknown[] = [];
  let answer: (response: ServerResponse) => void = () => undefined;
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
    incoming.on('end', () => {
      asked.push({ path: incoming.url, token: incoming.headers['x-token'], body: JSON.parse(text) });
      answer(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/check`;
  const profile = {
    name: 'hook',
    kind: 'webhook',
    url,
    headers: { 'x-token': 't' },
    timeoutMs: 300,
  } as const;
  const guardrails = guardrailsOf(profile);
  const check = async (body: string, status = 200) => {
    answer = (response) => response.writeHead(status).end(body);
    const { blocked } = await guardrails.checkInput([rule('hook')], said('Hello'), request);
    return blocked?.message;
  };
  expect(await check('{"verdict": true}')).toBeUndefined();
  expect(asked).toEqual([
    {
      path: '/check',
      token: 't',
      body: { guardrail: 'hook', request_id: 'r-1', place: 'input', texts: ['Hello'] },
    },
  ]);
  expect(await check('{"verdict": false, "reason": "no greetings", "score": 0.7}')).toBe(
    'Request blocked by guardrail policy: hook (no greetings).',
  );
  for (const body of ['{"verdict": "yes"}', '[]', 'x']) expect(await check(body)).toContain('is unavailable');
  expect(await check('{"verdict": true}', 500)).toContain('is unavailable');
  answer = () => undefined;
  const silent = await guardrails.checkInput([rule('hook')], said('Hello'), request);
  expect(silent.blocked?.reason).toBe('guardrail_unavailable');
  const open = await guardrails.checkInput(
    [rule('hook', { onUnavailable: 'monitor' })],
    said('Hello'),
    request,
  );
  expect(open).toMatchObject({ blocked: undefined, verdicts: [{ valid: false, score: undefined }] });
});
