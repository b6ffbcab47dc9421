import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MASTER_KEY } from '../master-key.ts';
import { type OpenGateway, openGateway } from './open-gateway.ts';
import { useGateway } from './use-gateway.ts';

const gateway = useGateway();

/** The same message in both members, and nothing else. */
const errorBody = (detail: unknown, code: string, param: string | null = null): object => ({
  detail,
  error: { message: detail, type: expect.any(String), code, param },
});

describe('paths and methods', () => {
  test.each([
    '/nothing',
    '/v1',
    '/v1/nothing',
    '/v2/users',
    '/v1/users/a/b',
    '/v1/keys/k/rotate/now',
    '/docs/x',
  ])('GET %s returns 404, even without credentials', async (path) => {
    const { status, headers, body } = await gateway().request(path);
    expect([status, headers.get('Content-Type')]).toEqual([404, 'application/json']);
    expect(body).toEqual(errorBody(`No such path: GET ${path}`, 'not_found'));
  });

  test.each([
    ['PUT', '/v1/users', 'GET, HEAD, POST'],
    ['DELETE', '/v1/users', 'GET, HEAD, POST'],
    ['POST', '/v1/users/ada', 'GET, HEAD, PATCH, DELETE'],
    ['OPTIONS', '/v1/keys', 'GET, HEAD, POST'],
    ['GET', '/v1/keys/k/rotate', 'POST'],
    ['POST', '/health', 'GET, HEAD'],
    ['PATCH', '/v1/pricing/a:b/c', 'GET, HEAD, DELETE'],
    ['GET', '/v1/admin/reload', 'POST'],
  ])('%s %s returns 405 with the allowed methods', async (method, path, allow) => {
    const { status, headers, body } = await gateway().request(path, { method });
    expect([status, headers.get('Allow'), body.error.code]).toEqual([405, allow, 'method_not_allowed']);
    expect(body.detail).toBe(`Method not allowed: ${method} ${path}. Allowed methods: ${allow}.`);
  });

  test('HEAD returns the headers of GET without a body', async () => {
    const { status, text, headers } = await gateway().ask('HEAD', '/v1/users');
    expect([status, text, headers.get('Content-Type')]).toEqual([200, '', 'application/json']);
    expect((await gateway().request('/v1/users', { method: 'HEAD' })).status).toBe(401);
  });

  test('a trailing slash is ignored', async () => {
    expect((await gateway().ask('GET', '/v1/users/')).status).toBe(200);
    expect((await gateway().request('/health/')).status).toBe(200);
  });
});

describe('request bodies', () => {
  test.each([
    ['', 400, /^The request has no body\.$/, 'malformed_request'],
    ['{"user_id":', 400, /^The body is not valid JSON: /, 'malformed_request'],
    ['{"user_id":"a"} x', 400, /^The body is not valid JSON: /, 'malformed_request'],
    ["{'user_id':'a'}", 400, /^The body is not valid JSON: /, 'malformed_request'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 422, /maximum nesting depth of 64/, 'invalid_request'],
    [
      `{"user_id":"a","metadata":${'{"a":'.repeat(100_000)}`,
      422,
      /maximum nesting depth of 64/,
      'invalid_request',
    ],
  ])('malformed JSON is rejected (%#)', async (sent, expected, detail, code) => {
    const { status, body } = await gateway().ask('POST', '/v1/users', sent, {
      'Content-Type': 'application/json',
    });
    expect([status, body.error.code]).toEqual([expected, code]);
    expect(body.detail).toEqual(expect.stringMatching(detail));
  });

  test.each(['application/x-www-form-urlencoded', 'text/plain', ''])(
    'content type %j returns 415',
    async (type) => {
      const { status, body } = await gateway().ask('POST', '/v1/users', '{}', { 'Content-Type': type });
      expect([status, body.error.code]).toEqual([415, 'unsupported_media_type']);
    },
  );

  test('invalid UTF-8 returns 400', async () => {
    const { status } = await gateway().request('/v1/users', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'x-api-key': MASTER_KEY },
      body: Buffer.from([0x22, 0xff, 0x22]),
    });
    expect(status).toBe(400);
  });

  test('if a member occurs twice, the last one is used', async () => {
    const { body } = await gateway().ask('POST', '/v1/users', '{"user_id":"first","user_id":"last"}');
    expect(body.user_id).toBe('last');
  });

  test('__proto__ is treated like any other member', async () => {
    const refused = await gateway().ask('POST', '/v1/users', '{"user_id":"p","__proto__":{"blocked":true}}');
    expect([refused.status, refused.body.error.param]).toEqual([422, '__proto__']);
    const sent = '{"user_id":"p","metadata":{"__proto__":{"a":1},"constructor":2}}';
    expect((await gateway().ask('POST', '/v1/users', sent)).text).toContain(
      '"metadata":{"__proto__":{"a":1},"constructor":2}',
    );
  });

  test('a body larger than 1 MiB returns 413, regardless of the limit for model requests', async () => {
    const { status, body } = await gateway().ask('POST', '/v1/users', `{"x":"${'x'.repeat(1_048_576)}"}`);
    expect([status, body]).toEqual([
      413,
      errorBody('The body exceeds 1048576 bytes, the maximum for this endpoint.', 'request_too_large'),
    ]);
  });

  test('a model request over the limit returns 413 and names the flag that raises it', async () => {
    const large = 'x'.repeat(1_048_577);
    for (const path of ['/v1/chat/completions', '/v1/embeddings']) {
      const { status, body } = await gateway().ask('POST', path, large);
      expect([status, body]).toEqual([
        413,
        errorBody(
          'The body is larger than 1048576 bytes, the maximum of this server. Send a smaller request, or increase --max-body.',
          'request_too_large',
        ),
      ]);
    }
  });
});

test('with the master key, the error for a missing user names the field that the route requires', async () => {
  const body = { model: 'a:b', max_tokens: 1, messages: [{ role: 'user', content: 'Hello' }] };
  const chat = await gateway().ask('POST', '/v1/chat/completions', body);
  expect([chat.status, chat.body]).toEqual([
    400,
    errorBody("When using master key, 'user' field is required in request body", 'user_required'),
  ]);
  const messages = await gateway().ask('POST', '/v1/messages', { ...body, user: 'ada' });
  const said = "When using master key, 'metadata.user_id' field is required in request body";
  expect([messages.status, messages.body]).toMatchObject([
    400,
    { detail: said, error: { message: said, code: 'user_required' } },
  ]);
});

describe('over the network', () => {
  let own: OpenGateway;
  let origin: string;
  beforeAll(async () => {
    own = await openGateway({ server: { bodyTimeoutMs: 50 } });
    origin = await own.listen();
  });
  afterAll(() => own.close());

  const send = async (bytes: string): Promise<string> => {
    const { port } = new URL(origin);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end(bytes);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return text;
  };

  test('a malformed request line returns the same error format', async () => {
    const text = await send('GET http://[/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toMatch(/x-frame-options: DENY/i);
    const body: unknown = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    expect(body).toMatchObject({ error: { code: 'malformed_request' } });
  });

  test('an incomplete body returns 408, but only to authorized clients', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': '100' };
    const ask = (more: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const request = httpRequest(`${origin}/v1/users`, {
          method: 'POST',
          headers: { ...headers, ...more },
        });
        request.once('response', (response) => {
          resolve(response.statusCode);
          response.resume();
          request.destroy();
        });
        request.once('error', reject);
        request.write('{');
      });
    expect(await ask({ 'x-api-key': MASTER_KEY })).toBe(408);
    expect(await ask({})).toBe(401);
  });

  test('non-ASCII keys are rejected as invalid', async () => {
    const text = await send(
      `GET /v1/users HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${'\u00FC'.repeat(40)}\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('a 10 MB body is rejected before it is read', async () => {
    const refused = fetch(`${origin}/v1/keys`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'x-api-key': MASTER_KEY },
      body: 'x'.repeat(10_000_000),
    });
    // A client that continues sending may see the connection close instead.
    const status = await refused.then(
      (response) => response.status,
      () => 413,
    );
    expect(status).toBe(413);
    expect((await fetch(`${origin}/health`)).status).toBe(200);
  });
});
