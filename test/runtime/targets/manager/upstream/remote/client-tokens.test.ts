import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createClientTokens } from '../../../../../../runtime/targets/manager/upstream/remote/client-tokens.ts';

test('scopes that the server requires are requested once, in addition to the configured ones', async () => {
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
  expect(await Promise.all([tokens.current(), tokens.current()])).toEqual(['token-1', 'token-1']);
  const refusal = {
    token: 'token-1',
    status: 403,
    challenge: { error: 'insufficient_scope', scope: 'write' },
  };
  expect(await Promise.all([tokens.renew(refusal), tokens.renew({ ...refusal, status: 401 })])).toEqual([
    'token-2',
    'token-2',
  ]);
  expect(await tokens.renew({ ...refusal, token: 'token-2' })).toBeUndefined();
  expect(asked.map((form) => form.get('scope'))).toEqual(['use', 'use write']);
  expect(hidden).toEqual(['token-1', 'token-2']);
});
