import { describe, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { instanceOfEntry, providerOfEntry } from '../../cloud-provider.ts';
import { problems } from '../../config/read.ts';
import { startFixture } from '../../fixture-provider.ts';
import {
  callOf,
  chatBody,
  contentOf,
  failureOf,
  jsonOf,
  readStream,
  REPLY,
  wholeOf,
} from '../../test-provider.ts';
import { USAGE } from '../../three-providers.ts';

const fixture = await startFixture('azure');
const DATED = '2024-10-21';
const entryOf = (more: object = {}): object => ({ api_base: fixture.url, api_key: 'azure-key-1', ...more });
const path = async (): Promise<string> => (await fixture.last()).path;
const ENTRA = { tenant_id: 'ten', client_id: 'app', client_secret: 'hush-hush-1', authority: fixture.url };

const undated = await providerOfEntry('azure', entryOf({ api_base: `${fixture.url}/openai/v1/` }));
const dated = await providerOfEntry(
  'azure',
  entryOf({ api_version: DATED, deployments: { 'gpt-4o': 'my deployment' } }),
);
const EMBED = { model: 'e5', input: ['a', 'bc'] };
const IMAGE = { model: 'draw', prompt: 'A cat' };

describe('request paths', () => {
  test.each([
    [undated, 'good', '/openai/v1/chat/completions', 'good'],
    [
      dated,
      'gpt-4o',
      `/openai/deployments/my%20deployment/chat/completions?api-version=${DATED}`,
      'my deployment',
    ],
    [dated, 'good', `/openai/deployments/good/chat/completions?api-version=${DATED}`, 'good'],
  ])(
    'chat requests use the correct path, buffered and streamed',
    async (provider, model, expected, deployment) => {
      const whole = await provider.chat(callOf('chat', chatBody(model)));
      expect(jsonOf(whole)).toMatchObject({
        choices: [{ message: { content: REPLY }, content_filter_results: { hate: { filtered: false } } }],
      });
      expect(await path()).toBe(expected);
      const { headers, body } = await fixture.last();
      expect([headers['api-key'], headers['authorization'], JSON.parse(body).model]).toEqual([
        'azure-key-1',
        undefined,
        deployment,
      ]);
      const { text, summary } = await readStream(
        await provider.chat(callOf('chat', chatBody(model, { stream: true }))),
      );
      expect([contentOf(text), summary.outcome, summary.usage]).toEqual([REPLY, 'complete', USAGE.openai]);
    },
  );

  test.each([
    ['..', '%252E%252E'],
    ['.', '%252E'],
    ['../../v1/x?y#z', '..%2F..%2Fv1%2Fx%3Fy%23z'],
    ['a:b/c d', 'a%3Ab%2Fc%20d'],
  ])('request paths escape the model %s', async (model, segment) => {
    await dated.chat(callOf('chat', chatBody(model)));
    expect(await path()).toBe(`/openai/deployments/${segment}/chat/completions?api-version=${DATED}`);
  });

  test('completions, embeddings, images and responses use the correct paths', async () => {
    await dated.chat(callOf('completions', { model: 'old', prompt: 'Hello' }));
    expect(await path()).toBe(`/openai/deployments/old/completions?api-version=${DATED}`);
    const embedded = await dated.embed(callOf('chat', EMBED));
    expect([await path(), embedded.kind]).toEqual([
      `/openai/deployments/e5/embeddings?api-version=${DATED}`,
      'whole',
    ]);
    const drawn = await dated.relay({ ...callOf('chat', IMAGE), route: 'image_generations' });
    expect([await path(), drawn.kind]).toEqual([
      `/openai/deployments/draw/images/generations?api-version=${DATED}`,
      'whole',
    ]);
    expect(failureOf(await dated.relay({ ...callOf('chat', EMBED), route: 'rerank' })).kind).toBe(
      'unsupported',
    );
    const asked = callOf('responses', { model: 'good', input: 'Hello' });
    await undated.chat(asked);
    expect(await path()).toBe('/openai/v1/responses');
    const preview = await providerOfEntry('azure', entryOf({ api_version: '2025-04-01-preview' }));
    await preview.chat(asked);
    expect(await path()).toBe('/openai/responses?api-version=2025-04-01-preview');
    // Older versions lack the Responses API, so responses become chats.
    await dated.chat(asked);
    expect(await path()).toBe(`/openai/deployments/good/chat/completions?api-version=${DATED}`);
  });

  test('the field for the token limit and the request for stream usage depend on the API version', async () => {
    const body = chatBody('good', { max_tokens: 5, stream: true });
    const sent = async (apiVersion: string | undefined) => {
      const provider = await providerOfEntry('azure', entryOf(apiVersion ? { api_version: apiVersion } : {}));
      await readStream(await provider.chat(callOf('chat', body)));
      const { model: _1, messages: _2, stream: _3, ...rest } = JSON.parse((await fixture.last()).body);
      return rest;
    };
    const usage = { stream_options: { include_usage: true } };
    expect(await sent('2024-06-01')).toEqual({ max_tokens: 5 });
    expect(await sent(DATED)).toEqual({ max_tokens: 5, ...usage });
    expect(await sent(undefined)).toEqual({ max_completion_tokens: 5, ...usage });
  });
});

test('content filter results in streams are translated for other clients', async () => {
  const body = { model: 'good', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }], stream: true };
  const { text, summary } = await readStream(await undated.chat(callOf('messages', body)));
  const texts = [...text.matchAll(/"text_delta","text":"([^"]*)"/g)].map(([, part]) => part).join('');
  expect([texts, summary.outcome]).toEqual([REPLY, 'complete']);
});

test('errors cover filtered content with its categories, unknown deployments and an invalid key', async () => {
  const filtered = failureOf(
    await dated.chat(callOf('chat', { model: 'good', messages: [{ role: 'user', content: 'attack' }] })),
  );
  expect([filtered.kind, filtered.error.reason, filtered.error.message]).toEqual([
    'content_filtered',
    'content_filter',
    'The response was filtered due to the prompt. Filtered for: violence.',
  ]);
  expect(failureOf(await dated.chat(callOf('chat', chatBody('absent')))).kind).toBe('model_not_found');
  const wrong = await providerOfEntry('azure', entryOf({ api_key: 'wrong-key-123' }));
  expect(failureOf(await wrong.chat(callOf('chat', chatBody('good')))).kind).toBe('credentials');
});

test("configured deployments are listed as models instead of Azure's list of deployable models", async () => {
  const { signal } = new AbortController();
  expect(await dated.models(signal)).toEqual([{ id: 'gpt-4o', created: 0, ownedBy: 'azure' }]);
  expect(await undated.models(signal)).toEqual([]);
});

describe('Microsoft Entra tokens', () => {
  const entra = (more: object = {}): object => ({ api_base: fixture.url, entra: { ...ENTRA, ...more } });

  test('one token is shared by concurrent requests and renewed before it expires', async () => {
    let ahead = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + ahead };
    const provider = await providerOfEntry('azure', entra(), { clock });
    const ask = async (): Promise<string | undefined> => {
      wholeOf(await provider.chat(callOf('chat', chatBody('good'))));
      return (await fixture.last()).headers['authorization'];
    };
    const [first, ...others] = await Promise.all(Array.from({ length: 8 }, ask));
    expect(first).toMatch(/^Bearer entra-token-\d+$/);
    expect(new Set(others)).toEqual(new Set([first]));
    // The token expires after an hour; before that, it is renewed while requests still use it.
    ahead = 56 * 60_000;
    // The last request can be the one for the token, if it was slower.
    expect([first, undefined]).toContain(await ask());
    await expect.poll(ask).not.toBe(first);
    const second = await ask();
    ahead = 4 * 3_600_000;
    expect(await ask()).not.toBe(second);
  });

  test('an invalid secret is a gateway error whose reason is logged without the secret', async () => {
    const provider = await providerOfEntry('azure', entra({ client_secret: 'wrong' }));
    const failed = failureOf(await provider.chat(callOf('chat', chatBody('good'))));
    expect([failed.kind, failed.error.message, failed.text]).toEqual([
      'credentials',
      "The provider rejected the gateway's credentials",
      `${new URL(fixture.url).host} rejected the request for a token of Microsoft Entra (status 401): AADSTS7000215: Invalid client secret provided.`,
    ]);
  });

  test('an unreachable token server does not count as rejected credentials', async () => {
    const provider = await providerOfEntry('azure', entra({ authority: 'http://127.0.0.1:9' }));
    expect(failureOf(await provider.chat(callOf('chat', chatBody('good')))).kind).toBe('unreachable');
  });
});

describe('configuration', () => {
  test('settings can come from environment variables', async () => {
    const env = { AZURE_OPENAI_ENDPOINT: 'https://r.openai.azure.com/', AZURE_OPENAI_API_KEY: 'k-123' };
    expect(await instanceOfEntry('azure', {}, env)).toMatchObject({
      baseUrl: 'https://r.openai.azure.com/',
      apiKey: 'k-123',
      listedAs: 'azure',
      cloud: { apiVersion: undefined, entra: undefined },
    });
    // The key is not sent to another resource.
    const other = { type: 'azure', api_base: 'https://other.openai.azure.com?api-version=2024-06-01' };
    expect(await instanceOfEntry('mine', other, env)).toMatchObject({
      baseUrl: 'https://other.openai.azure.com',
      apiKey: undefined,
      cloud: { apiVersion: '2024-06-01' },
    });
    const app = { AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'c', AZURE_CLIENT_SECRET: 'hush-hush-2' };
    const { AZURE_OPENAI_API_KEY: _key, ...endpoint } = env;
    expect(await instanceOfEntry('azure', {}, { ...endpoint, ...app })).toMatchObject({
      apiKey: undefined,
      secrets: ['hush-hush-2'],
      cloud: { entra: { tenantId: 't', authority: 'https://login.microsoftonline.com' } },
    });
  });

  test.each([
    [{}, 'type azure has no default address; set `api_base` to the resource URL'],
    [
      entryOf({ api_version: '24.1' }),
      'unknown version `24.1`; expected a date such as 2024-10-21, or preview',
    ],
    [entryOf({ entra: ENTRA }), 'conflicts with `api_key`; keep one of them'],
    [{ api_base: fixture.url, entra: { tenant_id: 't' } }, 'requires `client_id` and `client_secret`'],
    [
      { api_base: fixture.url, entra: { ...ENTRA, authority: 'http://example.com' } },
      'must start with https://, because the secret is sent to it',
    ],
    [entryOf({ aws: {} }), 'requires type bedrock'],
  ])('rejects %j', async (entry, expected) => {
    const [problem, ...others] = await problems({ providers: { azure: entry } });
    expect(problem).toContain(expected);
    expect([others, problem?.includes('hush')]).toEqual([[], false]);
  });
});
