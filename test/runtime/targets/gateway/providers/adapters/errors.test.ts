import { expect, test } from 'vitest';
import { HTTP_STATUS } from '#serve/errors/http-status.ts';
import { errorBody } from '#gateway/api/http/errors.ts';
import { type FixtureWire, startFixture } from '../../fixture-provider.ts';
import { callOf, CANARY, chatBody, failureOf, providerOf, wholeOf } from '../../test-provider.ts';

const fixtures = {
  openai: await startFixture('openai'),
  anthropic: await startFixture('anthropic'),
  gemini: await startFixture('gemini'),
};
const TYPES: FixtureWire[] = ['openai', 'anthropic', 'gemini'];

/** Maps each provider error to the error that the client receives. */
const MAP = [
  ['fails-400', 'bad_request', 'MalformedError', 'Failed with 400.'],
  ['fails-422', 'bad_request', 'MalformedError', 'Failed with 422.'],
  ['fails-404', 'model_not_found', 'NotFoundError', 'Failed with 404.'],
  ['fails-401', 'credentials', 'UpstreamError', "The provider rejected the gateway's credentials"],
  ['fails-403', 'credentials', 'UpstreamError', "The provider rejected the gateway's credentials"],
  ['fails-402', 'billing', 'UpstreamError', "The gateway's account at the provider has a billing problem"],
  ['no-money', 'billing', 'UpstreamError', "The gateway's account at the provider has a billing problem"],
  ['rate-limited', 'rate_limited', 'OverloadedError', 'The provider rate-limited this request'],
  ['fails-408', 'timeout', 'TimeoutError', 'LLM provider timeout'],
  ['fails-504', 'timeout', 'TimeoutError', 'LLM provider timeout'],
  ['fails-500', 'provider_error', 'UpstreamError', 'LLM provider error'],
  ['fails-503', 'provider_error', 'UpstreamError', 'LLM provider error'],
  ['fails-529', 'overloaded', 'UnavailableError', 'The provider is overloaded. Retry later'],
  ['secret', 'provider_error', 'UpstreamError', 'LLM provider error'],
] as const;

test.each(TYPES)('%s: each provider error maps to a gateway error', async (type) => {
  const provider = providerOf(type, fixtures[type]);
  for (const [model, kind, code, message] of MAP) {
    for (const stream of [false, true]) {
      const failure = failureOf(await provider.chat(callOf('chat', chatBody(model, { stream }))));
      expect(failure, model).toMatchObject({ kind, error: { code, message } });
    }
  }
});

test('an overloaded provider is reported as overloaded to Anthropic clients', async () => {
  const { error } = failureOf(
    await providerOf('anthropic', fixtures.anthropic).chat(
      callOf('messages', chatBody('fails-529', { max_tokens: 9 })),
    ),
  );
  const status = HTTP_STATUS[error.code];
  expect(status).toBe(503);
  expect(errorBody(error, status, '/v1/messages')).toMatchObject({
    type: 'error',
    error: { type: 'overloaded_error', code: 'provider_overloaded' },
  });
});

test.each(TYPES)('%s: Retry-After is forwarded', async (type) => {
  const failure = failureOf(
    await providerOf(type, fixtures[type]).chat(callOf('chat', chatBody('rate-limited'))),
  );
  expect(failure).toMatchObject({
    upstreamStatus: 429,
    retryAfterSeconds: 7,
    error: { retryAfterSeconds: 7 },
  });
});

test.each(TYPES)(
  '%s: errors sent to the client never contain a secret, whatever the provider returns',
  async (type) => {
    const provider = providerOf(type, fixtures[type]);
    for (const model of ['secret', 'secret-400']) {
      const { error } = failureOf(await provider.chat(callOf('chat', chatBody(model))));
      // The fixture did receive the secret and repeated it.
      expect(JSON.stringify((await fixtures[type].last()).headers)).toContain(CANARY);
      expect(JSON.stringify([error.message, error.details])).not.toMatch(/canary/i);
    }
    expect(failureOf(await provider.chat(callOf('chat', chatBody('secret-400')))).error.message).toContain(
      '[hidden]',
    );
  },
);

test('an error does not repeat a key that the provider rejected', async () => {
  for (const type of TYPES) {
    const failure = failureOf(
      await providerOf(type, fixtures[type], { apiKey: 'wrong' }).chat(callOf('chat', chatBody('good'))),
    );
    expect(failure.kind, type).toBe('credentials');
    expect(failure.error.message).toBe("The provider rejected the gateway's credentials");
  }
});

test('a response with the wrong content type is a provider error', async () => {
  const provider = providerOf('openai', fixtures.openai);
  for (const stream of [false, true]) {
    expect(failureOf(await provider.chat(callOf('chat', chatBody('wrong-type', { stream })))).kind).toBe(
      'provider_error',
    );
  }
});

test('an oversized response is not read completely', async () => {
  const provider = providerOf('openai', fixtures.openai, { limits: { maxResponseBytes: 1024 * 1024 } });
  const failure = failureOf(await provider.chat(callOf('chat', chatBody('huge'))));
  expect(failure).toMatchObject({
    kind: 'answer_too_large',
    error: { code: 'UpstreamError', message: expect.stringContaining('1048576 bytes') },
  });
  expect((await fixtures.openai.happened('closed', 'huge')).complete).toBe(false);
});

test('an unreachable provider returns an error', async () => {
  const provider = providerOf('openai', { ...fixtures.openai, url: 'http://127.0.0.1:9' });
  expect(failureOf(await provider.chat(callOf('chat', chatBody('good'))))).toMatchObject({
    kind: 'unreachable',
    error: { code: 'UpstreamError', message: 'LLM provider error' },
  });
});

test('if a response reports no usage, the length of its text is measured instead', async () => {
  for (const type of TYPES) {
    const answer = wholeOf(await providerOf(type, fixtures[type]).chat(callOf('chat', chatBody('no-usage'))));
    expect(answer.summary).toMatchObject({ usage: undefined, outputLength: answer.text.length });
    expect(answer.text.length).toBeGreaterThan(10);
  }
});

test.each([
  ['http://169.254.169.254/latest', true],
  ['http://127.0.0.1:1/v1', false],
  ['http://[::ffff:10.0.0.1]/v1', false],
  ['http://2130706433/v1', false],
  ['ftp://example.com', true],
  ['https://user:pass@example.com/v1', false],
] as const)('the URL %s (local: %s) is rejected', (baseUrl, local) => {
  expect(() => providerOf('openai', fixtures.openai, { baseUrl, local })).toThrow(
    expect.objectContaining({ code: 'ConfigError' }),
  );
});

test('a host name that resolves to a private network is rejected when connecting', async () => {
  const { port } = new URL(fixtures.openai.url);
  const before = await fixtures.openai.counts();
  const provider = providerOf('openai', fixtures.openai, {
    baseUrl: `http://localhost:${port}/v1`,
    local: false,
  });
  const failure = failureOf(await provider.chat(callOf('chat', chatBody('good'))));
  expect(failure.error.message).toBe('LLM provider error');
  expect((failure.error.cause as Error).message).toBe(
    '`localhost` has the address 127.0.0.1, which is not public. Set `local: true` to allow a private address.',
  );
  expect((await fixtures.openai.counts())['requests']).toBe(before['requests']);
});
