import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { jwtVerify } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { createClientTokens } from '#manager/upstream/remote/client-tokens.ts';

test('scopes that the server requires are requested once, in addition to the configured scopes', async () => {
  const asked: URLSearchParams[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    asked.push(new URLSearchParams(await text(request)));
    const token = { access_token: `token-${asked.length}`, token_type: 'bearer', expires_in: 60 };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const tokenUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  const hidden: string[] = [];
  const client = {
    grant: 'client_credentials',
    clientId: 'a:b',
    clientSecret: 'ü',
    scope: 'use',
    tokenUrl,
  } as const;
  const tokens = createClientTokens('http://127.0.0.1:1/mcp', client, {
    timeoutMs: 5000,
    hide: (token) => hidden.push(token),
  });
  const values = async (...found: ReturnType<typeof tokens.renew>[]): Promise<unknown[]> =>
    (await Promise.all(found)).map((token) => token?.value);
  expect(await values(tokens.current(), tokens.current())).toEqual(['token-1', 'token-1']);
  const refusal = {
    token: 'token-1',
    status: 403,
    challenge: { error: 'insufficient_scope', scope: 'write' },
  };
  expect(await values(tokens.renew(refusal), tokens.renew({ ...refusal, status: 401 }))).toEqual([
    'token-2',
    'token-2',
  ]);
  expect(await tokens.renew({ ...refusal, token: 'token-2' })).toBeUndefined();
  expect(asked.map((form) => form.get('scope'))).toEqual(['use', 'use write']);
  expect(hidden).toEqual(['token-1', 'token-2']);
});

test.each([
  ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ['EdDSA', generateKeyPairSync('ed25519')],
])(
  'a client with a private key authenticates with a new signed assertion for each request (%s)',
  async (algorithm, pair) => {
    const forms: URLSearchParams[] = [];
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      forms.push(new URLSearchParams(await text(request)));
      const token = { access_token: `token-${forms.length}`, token_type: 'Bearer', expires_in: 1 };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
    };
    const server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const tokenUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
    const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' });
    const jwk = JSON.stringify({ ...pair.privateKey.export({ format: 'jwk' }), kid: 'in-jwk' });
    const client = {
      grant: 'client_credentials',
      clientId: 'robot',
      tokenUrl,
      issuer: 'https://id.example',
    } as const;
    const options = { timeoutMs: 5000 };
    await createClientTokens(
      'http://127.0.0.1:1/mcp',
      { ...client, privateKey: { key, id: 'one' } },
      options,
    ).current();
    await createClientTokens(
      'http://127.0.0.1:1/mcp',
      { ...client, privateKey: { key: jwk } },
      options,
    ).current();
    const statements = await Promise.all(
      forms.map(async (form) => {
        expect(form.get('client_assertion_type')).toBe(
          'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        );
        expect(form.get('client_secret')).toBeNull();
        return await jwtVerify(form.get('client_assertion') ?? '', pair.publicKey, {
          issuer: 'robot',
          subject: 'robot',
          audience: 'https://id.example',
          maxTokenAge: '60s',
          requiredClaims: ['exp', 'jti'],
        });
      }),
    );
    expect(statements.map(({ protectedHeader: { alg, kid } }) => [alg, kid])).toEqual([
      [algorithm, 'one'],
      [algorithm, 'in-jwk'],
    ]);
    expect(new Set(statements.map(({ payload }) => payload.jti)).size).toBe(2);
  },
);
