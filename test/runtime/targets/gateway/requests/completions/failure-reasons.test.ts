import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { RETRY_POLICY } from '#gateway/shared/retry-plan.ts';
import { selfSigned } from '#test/helpers/self-signed.ts';
import { CANARY, chatBody } from '../../test-provider.ts';
import { CHAT } from './fixture-gateway.ts';
import { MASTER, priced, runGateway } from './running-gateway.ts';

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => void server.close());
  return (server.address() as AddressInfo).port;
};

const page = createServer((_request, response) => {
  response.writeHead(503, { 'content-type': 'text/html' });
  response.end(`<html>upstream proxy at 10.0.0.7 says no to Bearer ${CANARY}</html>`);
});
const notJson = createServer((_request, response) => response.end('hello, I am a login page'));
const tls = createTlsServer(selfSigned(), (_request, response) => response.end());
const [pagePort, notJsonPort, tlsPort] = await Promise.all([listen(page), listen(notJson), listen(tls)]);
/** A port that systems do not assign, so that no server of another test gets it between the two calls. */
const gonePort = 1;

const ADDRESSES = {
  page: `http://127.0.0.1:${pagePort}`,
  login: `http://127.0.0.1:${notJsonPort}`,
  certificate: `https://127.0.0.1:${tlsPort}`,
  gone: `http://127.0.0.1:${gonePort}`,
  nowhere: 'http://no-such-host.invalid',
};
const names = Object.keys(ADDRESSES);
const gateway = await runGateway({
  models: {
    providers: Object.entries(ADDRESSES).map(([name, baseUrl]) => ({
      name,
      type: 'openai',
      baseUrl,
      apiKey: CANARY,
      local: true,
    })),
    pricing: names.map((name) => priced(`${name}:m`, 1, 1)),
    routing: { retry: { ...RETRY_POLICY, retries: 1, baseDelay: 0, maxDelay: 0 } },
  },
});
afterAll(() => gateway.stop());

test.each([
  ['page', 2, /^status 503: <html>upstream proxy at 10\.0\.0\.7 says no to \[hidden\]$/],
  ['login', 1, /^the response is not a JSON object: status 200: hello, I am a login page$/],
  ['certificate', 2, /self.signed certificate/],
  ['gone', 2, /ECONNREFUSED 127\.0\.0\.1:\d+/],
  ['nowhere', 2, /no-such-host\.invalid/],
] as const)('%s: the log and the usage contain the reason for each failed call', async (name, calls, why) => {
  await gateway.user(name);
  const secret = await gateway.key({ user_id: name });
  const answer = await gateway.post(CHAT, chatBody(`${name}:m`), secret);
  const requestId = answer.headers.get('x-request-id') ?? '';
  expect(answer.status).toBe(502);
  // The client does not see the reason.
  expect(await answer.text()).not.toMatch(why);

  const lines = gateway.logged
    .filter((line) => line.includes('provider call failed') && line.includes(requestId))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ attempt }) => attempt)).toEqual(calls === 1 ? [1] : [1, 2]);
  const rows = await gateway.usage(name);
  expect(rows).toHaveLength(calls);
  for (const line of lines)
    expect(line).toMatchObject({ target: `${name}:m`, detail: expect.stringMatching(why) });
  for (const row of rows) expect(row['error_detail']).toMatch(why);
  expect(gateway.logged.join('') + JSON.stringify(rows)).not.toContain(CANARY);

  // A user's own usage list and export do not contain the reason.
  for (const query of ['', '?format=csv']) {
    const own = await fetch(`${gateway.url}/v1/usage${query}`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(own.status).toBe(200);
    expect(await own.text()).not.toMatch(/error_detail/);
  }
  const all = await fetch(`${gateway.url}/v1/usage`, { headers: { authorization: `Bearer ${MASTER}` } });
  expect(await all.text()).toContain('error_detail');
});
