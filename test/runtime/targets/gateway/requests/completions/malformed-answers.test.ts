import { afterAll, expect, test } from 'vitest';
import { RETRY_POLICY } from '#gateway/shared/retry-plan.ts';
import { startFixture } from '../../fixture-provider.ts';
import { startScripted } from '../../scripted-provider.ts';
import { errorIn } from './fixture-gateway.ts';
import { instanceOf, priced, runGateway } from './running-gateway.ts';

const [scripted, fixture] = [await startScripted(), await startFixture('openai')];
const messages = [{ role: 'user', content: 'Hello' }];
const ROUTES = [
  ['/v1/chat/completions', 'odd', { messages }],
  ['/v1/messages', 'odd', { messages, max_tokens: 9 }],
  ['/v1/responses', 'odd', { input: 'Hello' }],
  ['/v1/embeddings', 'odd', { input: 'Hello' }],
  ['/v1/embeddings', 'odd-gemini', { input: 'Hello' }],
] as const;

const gateway = await runGateway({
  models: {
    providers: [
      instanceOf('openai', scripted.provider, { name: 'odd' }),
      instanceOf('gemini', scripted.provider, { name: 'odd-gemini' }),
      instanceOf('openai', fixture, { name: 'audio' }),
    ],
    // Each provider receives the requests of only one test, so that no circuit breaker opens.
    aliases: ROUTES.flatMap(([path, name]) =>
      ['whole', 'stream'].map((how) => ({
        name: `${name} ${path} ${how}`,
        targets: [{ model: `${name}:${path} ${how}` }],
        fallbacks: ['audio:good'],
      })),
    ),
    pricing: [priced('odd:m', 10, 30)],
    routing: {
      retry: { ...RETRY_POLICY, retries: 0 },
    },
  },
});
afterAll(() => gateway.stop());
const someone = async (userId: string): Promise<string> => {
  await gateway.user(userId);
  return gateway.key({ user_id: userId });
};

const ODD = { choices: [{ message: { content: [null] } }], embeddings: [null], data: [null] };

test.each(ROUTES)('%s: an invalid response from %s is a provider error', async (path, provider, body) => {
  const secret = await someone(`alone ${path} ${provider}`);
  scripted.says(ODD);
  const answer = await gateway.post(path, { model: `${provider}:m`, ...body }, secret);
  expect(await errorIn(answer)).toMatchObject({
    status: 502,
    code: 'provider_error',
    message: 'LLM provider error',
  });
  expect(gateway.logged.filter((line) => line.includes('TypeError'))).toEqual([]);
});

test.each(ROUTES)(
  '%s: after an invalid response from %s, another target is tried',
  async (path, provider, body) => {
    const userId = `fallback ${path} ${provider}`;
    scripted.says(ODD);
    const answer = await gateway.post(
      path,
      { model: `${provider} ${path} whole`, ...body },
      await someone(userId),
    );
    expect(answer.status).toBe(200);
    expect((await gateway.usage(userId)).map(({ model, status }) => [model, status])).toEqual([
      [`${provider}:${path} whole`, 'error'],
      ['audio:good', 'success'],
    ]);
  },
);

test.each(ROUTES.slice(0, 3))(
  '%s: an invalid response before a stream starts also falls back',
  async (path, provider, body) => {
    const userId = `stream ${path}`;
    scripted.says([ODD, ODD, ODD]);
    const asked = { model: `${provider} ${path} stream`, stream: true, ...body };
    const answer = await gateway.post(path, asked, await someone(userId));
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.not.stringContaining('internal_error'),
    ]);
    expect((await gateway.usage(userId)).at(-1)).toMatchObject({ model: 'audio:good', status: 'success' });
  },
);
