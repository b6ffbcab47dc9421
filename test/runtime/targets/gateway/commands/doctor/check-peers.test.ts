import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { SignInConfig } from '#gateway/accounts/sign-in/sign-in-config.ts';
import { checkSignIn } from '#gateway/commands/doctor/check-sign-in.ts';
import { checkWorkloads } from '#gateway/commands/doctor/check-workloads.ts';
import { checkWebhooks } from '#gateway/commands/doctor/check-webhooks.ts';
import { CLIENT, openStandInProvider } from '../../accounts/sign-in/stand-in-provider.ts';
import { WEBHOOK_SECRET } from '../../alerts/receiver.ts';

/** A server that always returns the same response, and records its requests. */
async function serve(status: number, body: string) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume();
    response.writeHead(status).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const signInAt = (issuer: string): SignInConfig => ({
  ...CLIENT,
  issuer,
  publicUrl: 'https://gateway.example.com',
  scopes: ['openid'],
  userClaim: 'sub',
  groupsClaim: 'groups',
  createUsers: true,
  sessionMs: 1000,
  groups: [],
});

test('a sign-in provider must have metadata and keys', async () => {
  expect(await checkSignIn(undefined)).toEqual([]);
  const provider = await openStandInProvider();
  onTestFinished(() => provider.close());
  expect(await checkSignIn(signInAt(provider.issuer))).toEqual([
    { what: 'sign-in', state: 'ok', message: `${provider.issuer} is reachable, 1 key` },
  ]);
  const { origin } = await serve(404, '');
  expect(await checkSignIn(signInAt(origin))).toMatchObject([
    { state: 'problem', message: `${origin} does not serve OpenID Connect provider metadata` },
  ]);
});

test('the keys of workload issuers must be available', async () => {
  expect(await checkWorkloads([])).toEqual([]);
  const provider = await openStandInProvider();
  onTestFinished(() => provider.close());
  const { origin } = await serve(404, '');
  const rest = { audiences: ['llm'], keyMs: 1000, maxUsers: 1, rules: [] };
  expect(
    await checkWorkloads([
      { ...rest, name: 'ci', issuer: provider.issuer, keys: undefined },
      { ...rest, name: 'pods', issuer: origin, keys: { url: `${origin}/keys` } },
    ]),
  ).toMatchObject([
    { what: 'workload ci', state: 'ok', message: `${provider.issuer} is available, 1 key` },
    { state: 'problem', message: `${origin}/keys did not return a key set (status 404)` },
  ]);
});

test('the alert webhook is checked without sending a message, and a guardrail webhook by sending a sample text', async () => {
  const alertsAt = (url: string, local = true) => ({ url, secret: WEBHOOK_SECRET, local, timeoutMs: 2000 });
  const hook = (name: string, url: string) => ({ name, kind: 'webhook' as const, url, headers: {} });
  const [receiver, broken] = [await serve(405, ''), await serve(503, '')];
  const judge = await serve(200, '{"verdict": false}');
  expect(
    await checkWebhooks(alertsAt(`${receiver.origin}/secret`), [
      hook('company', `${judge.origin}/check`),
      hook('other', broken.origin),
    ]),
  ).toEqual([
    {
      what: 'alerts webhook',
      state: 'ok',
      message: `${receiver.origin} is reachable; send a test message with \`gateway alerts test\``,
    },
    { what: 'guardrail company', state: 'ok', message: `${judge.origin} returns verdicts` },
    {
      what: 'guardrail other',
      state: 'problem',
      message: `${broken.origin}: the server returned status 503`,
      wayOut: 'Check its `webhook`, whether the server is running, and the network.',
    },
  ]);
  expect([receiver.asked, judge.asked]).toEqual([['HEAD /secret'], ['POST /check']]);
  const problems = await Promise.all(
    [alertsAt(broken.origin), alertsAt(`${receiver.origin}/secret`, false)].map((one) =>
      checkWebhooks(one, []),
    ),
  );
  expect(problems.flat().map(({ state, message }) => [state, message])).toEqual([
    ['problem', `${broken.origin} returned status 503`],
    ['problem', expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+: .*private/)],
  ]);
  expect(JSON.stringify(problems)).not.toContain('secret');
});

test('an alert webhook that accepts only POST is valid, regardless of the status that it returns for other methods', async () => {
  for (const status of [404, 405, 501]) {
    const { origin, asked } = await serve(status, '');
    const webhook = { url: origin, secret: WEBHOOK_SECRET, local: true, timeoutMs: 2000 };
    expect(await checkWebhooks(webhook, [])).toMatchObject([{ state: 'ok', what: 'alerts webhook' }]);
    expect(asked).toEqual(['HEAD /']);
  }
});
