import { beforeAll, expect, test } from 'vitest';
import { type DescribedAnswers, describedAnswers } from '../../../../helpers/described-answers.ts';
import { startFixture } from '../fixture-provider.ts';
import { newSpender, used } from '../requests.ts';
import { providerOf } from '../test-provider.ts';
import { useGateway } from './use-gateway.ts';

const [fixture, encoder] = [await startFixture('openai'), await startFixture('encoder')];
const gateway = useGateway(() => ({
  providers: [
    providerOf('openai', fixture, { dialect: { hasResponses: true } }),
    providerOf('openai', encoder, { name: 'guard', type: 'encoder', baseUrl: encoder.url }),
  ],
  aliases: [{ name: 'fast', targets: [{ model: 'openai:small' }] }],
}));

let described: DescribedAnswers;
beforeAll(async () => {
  described = describedAnswers((await gateway().request('/openapi.json')).body);
});

const USER = '/v1/users/ada';
const PRICE = { model_key: 'openai:small', input_price_per_million: 1, output_price_per_million: 2 };

const PRICE_MAP = {
  format: 'encoderfile-prices-1',
  date: '2999-01-31',
  source: 'a contract',
  models: { openai: { 'gpt-5': { input: 1, output: 8 } } },
};

const CHAT = { model: 'fast', messages: [{ role: 'user', content: 'Hello' }], user: 'ada' };

const PROMPT = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };

const FORM_TYPE = { 'Content-Type': 'multipart/form-data; boundary=edge' };
const formOf = (...parts: readonly string[]): string =>
  [
    ...parts.map((part) => `--edge\r\nContent-Disposition: form-data; name="${part}\r\n`),
    '--edge--\r\n',
  ].join('');
const SOUND_FORM = formOf('model"\r\n\r\nfast', 'user"\r\n\r\nada', 'file"; filename="a.mp3"\r\n\r\nsound');
const BATCH_FORM = formOf(
  'purpose"\r\n\r\nbatch',
  'user"\r\n\r\nada',
  'file"; filename="requests.jsonl"\r\n\r\n{"custom_id":"1","url":"/v1/chat/completions","body":{"model":"fast","messages":[]}}',
);

const OTHER_TAGS: ReadonlySet<string | undefined> = new Set([
  'Workers',
  'Datasets',
  'Experiments',
  'Workflows',
  'Jobs',
  'Settings',
  'Artifacts',
]);

/** In this order; `{…}` is the id in the answer before that had one. */
const REQUESTS: readonly [method: string, path: string, body?: unknown, headers?: Record<string, string>][] =
  [
    ['POST', '/v1/budgets', { name: 'tier', max_budget: 1, budget_duration_sec: 60 }],
    ['GET', '/v1/budgets/{budget_id}'],
    ['PATCH', '/v1/budgets/{budget_id}', { max_budget: 2 }],
    ['GET', '/v1/budgets'],
    ['POST', '/v1/users', { user_id: 'ada', budget_id: '{budget_id}' }],
    ['DELETE', '/v1/budgets/{budget_id}'],
    ['POST', '/v1/users', { user_id: 'ada' }],
    ['GET', USER],
    ['PATCH', USER, { alias: 'Ada', rpm: 5, budget_id: null }],
    ['GET', '/v1/users'],
    ['GET', '/v1/users?limit=x'],
    ['GET', `${USER}/usage`],
    ['DELETE', '/v1/budgets/{budget_id}'],
    ['GET', '/v1/budgets/{budget_id}'],
    ['GET', '/v1/budgets/reset-logs'],
    ['POST', '/v1/budgets', { max_budget: 1 }],
    ['PUT', '/v1/tags/search', { budget_id: '{budget_id}' }],
    ['PUT', '/v1/tags/search', { budget_id: 'none' }],
    ['GET', '/v1/tags/search'],
    ['GET', '/v1/tags'],
    ['DELETE', '/v1/tags/search'],
    ['GET', '/v1/tags/search'],
    ['GET', '/v1/alerts'],
    ['GET', '/v1/alerts?state=x'],
    ['POST', '/v1/alerts/test'],
    ['POST', '/v1/keys', { key_name: 'one', expires_at: '2030-01-01', budget: { max_budget: 1 } }],
    ['GET', '/v1/keys/{id}'],
    ['PATCH', '/v1/keys/{id}', { is_active: false, allowed_models: ['*'] }],
    ['PATCH', '/v1/keys/{id}', { expires_at: 1 }],
    ['POST', '/v1/keys/{id}/rotate', { grace_seconds: 5 }],
    ['GET', '/v1/keys'],
    ['GET', '/v1/keys/me'],
    ['DELETE', '/v1/keys/{id}'],
    ['DELETE', '/v1/keys/{id}'],
    ['POST', '/v1/keys', { user_id: 'ada' }],
    ['GET', '/v1/keys/me', undefined, { 'X-Gateway-Key': 'Bearer {key}' }],
    ['GET', '/v1/usage?api_key_id=x', undefined, { 'X-Gateway-Key': 'Bearer {key}' }],
    ['POST', '/v1/organizations', { organization_id: 'acme', allowed_models: ['*'] }],
    ['GET', '/v1/me'],
    ['GET', '/v1/organizations'],
    ['GET', '/v1/organizations/acme'],
    ['PATCH', '/v1/organizations/acme', { alias: 'Acme' }],
    ['POST', '/v1/teams', { team_id: 'research', organization_id: 'acme' }],
    ['GET', '/v1/teams'],
    ['GET', '/v1/teams/research'],
    ['PATCH', '/v1/teams/research', { rpm: 5 }],
    ['PUT', '/v1/teams/research/members/ada', { role: 'admin' }],
    ['GET', '/v1/teams/research/members'],
    ['POST', '/v1/keys', { user_id: 'ada', team_id: 'research' }],
    ['GET', '/v1/keys/me', undefined, { 'X-Gateway-Key': 'Bearer {key}' }],
    ['POST', '/v1/keys', { user_id: 'ada', scope: 'manage' }],
    ['GET', '/v1/organizations', undefined, { 'X-Gateway-Key': 'Bearer {key}' }],
    ['DELETE', '/v1/teams/research/members/ada'],
    ['DELETE', '/v1/organizations/acme'],
    ['DELETE', '/v1/teams/research'],
    ['DELETE', '/v1/organizations/acme'],
    ['POST', '/v1/pricing', PRICE],
    ['POST', '/v1/pricing', { ...PRICE, cached_input_price_per_million: 0.5 }],
    ['POST', '/v1/pricing', {}],
    ['POST', '/v1/pricing', 'no json'],
    ['POST', '/v1/pricing', '{}', { 'Content-Type': 'text/plain' }],
    ['POST', '/v1/pricing', 'x'.repeat(1_100_000)],
    ['GET', '/v1/pricing'],
    ['GET', '/v1/pricing/openai:small'],
    ['GET', '/v1/pricing/openai:small/history'],
    ['GET', '/v1/price-map?search=gpt-5&limit=3'],
    ['GET', '/v1/price-map?limit=x'],
    ['GET', '/v1/price-map/openai:GPT-5'],
    ['GET', '/v1/price-map/openai:nothing'],
    ['PUT', '/v1/price-map', PRICE_MAP],
    ['PUT', '/v1/price-map', { models: 1 }],
    ['DELETE', '/v1/price-map'],
    ['GET', '/v1/models'],
    ['GET', '/v1/models/fast'],
    ['GET', '/v1/models/nothing'],
    ['GET', '/v1/models', undefined, { 'X-Gateway-Key': 'nonsense' }],
    ['POST', '/v1/chat/completions', CHAT],
    ['POST', '/v1/chat/completions', { ...CHAT, stream: true }],
    ['POST', '/v1/chat/completions', { ...CHAT, messages: [] }],
    ['POST', '/v1/chat/completions', { ...CHAT, user: undefined }],
    ['POST', '/v1/chat/completions', { ...CHAT, model: 'nobody:knows' }],
    ['POST', '/v1/chat/completions', { ...CHAT, model: 'openai:fails-500' }],
    ['POST', '/v1/chat/completions', { ...CHAT, model: 'openai:rate-limited' }],
    ['POST', '/v1/responses', { model: 'fast', input: 'Hello', user: 'ada' }],
    ['POST', '/v1/messages', { ...CHAT, user: undefined, max_tokens: 5, metadata: { user_id: 'ada' } }],
    ['POST', '/v1/messages', { ...CHAT, user: undefined, max_tokens: 5 }],
    ['POST', '/v1/embeddings', { model: 'fast', input: ['Hello'], user: 'ada' }],
    ['POST', '/v1/classify', { model: 'encoder:guard', input: ['Hello', 'an attack'], user: 'ada' }],
    ['POST', '/v1/classify', { model: 'fast', input: ['Hello'], user: 'ada' }],
    ['POST', '/v1/completions', { model: 'fast', prompt: 'Hello', user: 'ada' }],
    ['POST', '/v1/moderations', { model: 'fast', input: 'Hello', user: 'ada' }],
    ['POST', '/v1/rerank', { model: 'fast', query: 'Hello', documents: ['a', 'b'], user: 'ada' }],
    ['POST', '/v1/rerank', { model: 'fast', query: 'Hello', documents: [], user: 'ada' }],
    ['POST', '/v1/images/generations', { model: 'fast', prompt: 'Hello', user: 'ada' }],
    ['POST', '/v1/audio/transcriptions', SOUND_FORM, FORM_TYPE],
    ['POST', '/v1/audio/transcriptions', SOUND_FORM.replace('fast', 'nobody:knows'), FORM_TYPE],
    ['POST', '/v1/audio/translations', SOUND_FORM, FORM_TYPE],
    ['POST', '/v1/audio/speech', { model: 'fast', input: 'Hello', voice: 'alloy', user: 'ada' }],
    ['POST', '/v1/responses', { model: 'fast', input: 'Hello', user: 'ada', background: true }],
    ['GET', '/v1/responses/{id}'],
    ['GET', '/v1/responses/{id}?stream=true'],
    ['GET', '/v1/responses/{id}/input_items'],
    ['POST', '/v1/responses/{id}/cancel'],
    ['DELETE', '/v1/responses/{id}'],
    ['GET', '/v1/responses/{id}'],
    ['POST', '/v1/files', BATCH_FORM, FORM_TYPE],
    ['POST', '/v1/files', BATCH_FORM.replace('requests', 'nothing'), FORM_TYPE],
    ['GET', '/v1/files?user=ada'],
    ['GET', '/v1/files/{id}'],
    ['GET', '/v1/files/{id}/content'],
    [
      'POST',
      '/v1/batches',
      {
        input_file_id: '{id}',
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
        user: 'ada',
      },
    ],
    ['POST', '/v1/batches', {}],
    ['GET', '/v1/batches'],
    ['GET', '/v1/batches/{id}'],
    ['POST', '/v1/batches/{id}/cancel'],
    ['GET', '/v1/batches/nothing'],
    ['DELETE', '/v1/files/{id}'],
    ['POST', '/v1/messages/count_tokens', { model: 'fast', messages: CHAT.messages }],
    ['POST', '/v1/messages/count_tokens', { model: 'fast' }],
    ['POST', '/v1/responses/input_tokens', { model: 'fast', input: 'Hello' }],
    ['POST', '/v1beta/models/fast:generateContent', { ...PROMPT, user: 'ada' }],
    ['POST', '/v1beta/models/fast:generateContent', PROMPT],
    ['POST', '/v1beta/models/fast:generateContent', 'no json'],
    ['POST', '/v1beta/models/fast:streamGenerateContent?alt=sse', { ...PROMPT, user: 'ada' }],
    ['POST', '/v1beta/models/fast:streamGenerateContent', { ...PROMPT, user: 'ada' }],
    ['POST', '/v1beta/models/fast:countTokens', PROMPT],
    ['POST', '/v1beta/models/fast:embedContent', { content: PROMPT.contents[0], user: 'ada' }],
    [
      'POST',
      '/v1beta/models/fast:batchEmbedContents',
      { requests: [{ content: PROMPT.contents[0] }], user: 'ada' },
    ],
    [
      'POST',
      '/openai/deployments/fast/chat/completions?api-version=2024-10-21',
      { ...CHAT, model: undefined },
    ],
    ['POST', '/openai/deployments/fast/completions', { prompt: 'Hello', user: 'ada' }],
    ['POST', '/openai/deployments/fast/embeddings', { input: ['Hello'], user: 'ada' }],
    ['POST', '/openai/deployments/fast/images/generations', { prompt: 'Hello', user: 'ada' }],
    ['POST', '/openai/responses', { model: 'fast', input: 'Hello', user: 'ada' }],
    ['POST', '/openai/v1/chat/completions', { ...CHAT, stream: true }],
    ['POST', '/openai/v1/completions', { model: 'fast', prompt: 'Hello', user: 'ada' }],
    ['POST', '/openai/v1/embeddings', { model: 'fast', input: ['Hello'], user: 'ada' }],
    ['POST', '/openai/v1/images/generations', { model: 'fast', prompt: 'Hello', user: 'ada' }],
    ['POST', '/openai/v1/responses', { model: 'fast', input: 'Hello', user: 'ada' }],
    ['GET', '/v1beta/models'],
    ['GET', '/v1beta/models/fast'],
    ['GET', '/v1beta/models/nothing'],
    ['DELETE', '/v1/pricing/openai:small'],
    ['DELETE', '/v1/pricing/openai:small'],
    ['GET', '/v1/usage'],
    ['GET', '/v1/usage?group_by=user,key,team,organization,model,provider,endpoint,status&interval=hour'],
    ['GET', '/v1/usage?format=csv'],
    ['GET', '/v1/usage?group_by=x'],
    ['POST', '/v1/admin/reload'],
    ['GET', '/v1/admin/audit?limit=1000'],
    ['GET', '/v1/admin/audit?format=csv'],
    ['GET', '/v1/admin/audit?actor=nobody'],
    ['GET', '/v1/admin/prompts'],
    ['GET', '/v1/admin/prompts?model=x&user=y'],
    ['GET', '/v1/admin/prompts/stored'],
    ['GET', '/v1/admin/prompts/nothing'],
    ['DELETE', USER],
    ['GET', USER],
    ['GET', '/api/v1/health/'],
    ['GET', '/health'],
    ['GET', '/health/liveness'],
    ['GET', '/health/readiness'],
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['GET', '/metrics'],
    ['GET', '/'],
    ['GET', '/openapi.json'],
  ];

const STORED = {
  id: '019cab3c-5200-7000-8f4e-5a1d0c2b7e91',
  at: 1_767_225_600_000,
  request_id: 'stored',
  user_id: 'ada',
  api_key_id: null,
  model: 'openai:small',
  endpoint: '/v1/chat/completions',
  status: 'success',
  request: '{}',
  answer: null,
  truncated: 0,
};

test('every answer is what the document says', async () => {
  const { ask, context } = gateway();
  const { identity, ledger } = context.state;
  const estimate = { cost: 1n, tokens: 1, free: false };
  const spender = await newSpender(identity);
  await ledger.settle(
    await ledger.reserve(spender, estimate),
    used(5n, { status: 'error', errorMessage: 'failed', statusCode: 502 }),
    used(5n, { latencyMs: 5.5, ttftMs: 1, statusCode: 200, requestId: 'r', cachedTokens: 1 }),
  );
  await context.state.promptLog.add([STORED]);
  const known: Record<string, string> = {};
  const filled = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? name);
  const seen = new Set<number>();
  const tried = new Set<unknown>();
  for (const [method, template, body, headers = {}] of REQUESTS) {
    const path = filled(template);
    const sent: unknown = body && typeof body === 'object' ? JSON.parse(filled(JSON.stringify(body))) : body;
    const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]));
    const answer = await ask(method, path, sent, own);
    seen.add(answer.status);
    tried.add(described.operationOf(method, path));
    described.expectDescribed(method, path, answer);
    for (const name of ['budget_id', 'id', 'key']) {
      if (typeof answer.body?.[name] === 'string') known[name] = answer.body[name];
    }
  }
  expect([...seen].sort((one, other) => one - other)).toEqual([
    200, 204, 400, 401, 403, 404, 409, 413, 415, 422, 429, 502,
  ]);
  // Workflows are another API on the same port, with tests of their own.
  const own = described.operations.filter(({ tags }) => !OTHER_TAGS.has(tags[0]));
  const untried = own.filter((operation) => !tried.has(operation));
  expect(untried.map(({ operationId }) => operationId)).toEqual([]);
});

test('so are those of a gateway that is ending, or has no database', async () => {
  const { ask, kernel, context } = gateway();
  void kernel.lifecycle.drain();
  await context.state.close();
  for (const path of ['/v1/users', '/readyz', '/health/readiness']) {
    const answer = await ask('GET', path);
    expect(answer.status).toBe(503);
    described.expectDescribed('GET', path, answer);
  }
});
