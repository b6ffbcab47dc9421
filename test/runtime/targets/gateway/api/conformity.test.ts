import { beforeAll, expect, test } from 'vitest';
import { type DescribedAnswers, describedAnswers } from '#test/helpers/described-answers.ts';
import { startFixture } from '../fixture-provider.ts';
import { newSpender, used } from '../requests.ts';
import { providerOf } from '../test-provider.ts';
import { REQUESTS } from './conformity-requests.ts';
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

const OTHER_TAGS: ReadonlySet<string | undefined> = new Set([
  'Workers',
  'Datasets',
  'Experiments',
  'Workflows',
  'Jobs',
  'Settings',
  'Artifacts',
]);

const STORED = {
  id: '019cab3c-5200-7000-8f4e-5a1d0c2b7e91',
  at: 1_767_225_600_000,
  request_id: 'stored',
  user_id: 'ada',
  api_key_id: null,
  model: 'openai:small',
  endpoint: '/v1/chat/completions',
  status: 'success' as const,
  request: '{}',
  answer: null,
  status_code: 200,
  tags: null,
  truncated: 0,
};

test('every response matches the OpenAPI document', async () => {
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
  // Workflows are a separate API on the same port, with their own tests.
  const own = described.operations.filter(({ tags }) => !OTHER_TAGS.has(tags[0]));
  const untried = own.filter((operation) => !tried.has(operation));
  expect(untried.map(({ operationId }) => operationId)).toEqual([]);
});

test('responses also match the document during shutdown and without a database', async () => {
  const { ask, kernel, context } = gateway();
  void kernel.lifecycle.drain();
  await context.state.close();
  for (const path of ['/v1/users', '/readyz', '/health/readiness']) {
    const answer = await ask('GET', path);
    expect(answer.status).toBe(503);
    described.expectDescribed('GET', path, answer);
  }
});
