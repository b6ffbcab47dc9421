import { expect, test } from 'vitest';
import type { RemoteLaunch } from '../../../../../runtime/targets/manager/config/spec.ts';
import { serverSpec } from '../server-spec.ts';
import { openApi } from './open-api.ts';
import { useApi } from './use-api.ts';

const api = useApi(() => ({ servers: [serverSpec('echo', 'echo')], hostRules: { hostname: '0.0.0.0' } }));

const ATTACKER = 'attacker.example';
const HOSTILE = {
  'X-Forwarded-Host': ATTACKER,
  'X-Forwarded-Proto': `https://${ATTACKER}/`,
  'X-Forwarded-Prefix': `//${ATTACKER}`,
  'X-Original-Host': ATTACKER,
  Forwarded: `host=${ATTACKER};proto=https`,
};

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The routes of the app itself, each once, so that a new one is walked, too. */
function routes(): readonly { readonly method: string; readonly path: string }[] {
  const found = api().app.routes.flatMap(({ method, path }) =>
    (method === 'ALL' ? METHODS : [method]).map((each) => ({
      method: each,
      path: path.replaceAll('*', 'x').replaceAll(/:[a-z]+(\{[^}]*\})?/gi, 'echo'),
    })),
  );
  return [...new Map(found.map((route) => [`${route.method} ${route.path}`, route])).values()];
}

/** The status, headers and body; of a stream, which does not end, the body is not read. */
async function answerOf(url: string, init: RequestInit): Promise<string> {
  const response = await api().app.request(url, init);
  const head = `${response.status} ${JSON.stringify([...response.headers])}`;
  if (response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return head;
  }
  return `${head} ${await response.text()}`;
}

test.each([
  ['Host', `http://${ATTACKER}`, { host: ATTACKER }],
  ['forwarded headers', 'http://localhost:8090', { host: 'localhost:8090', ...HOSTILE }],
  ['both', `http://${ATTACKER}`, { host: ATTACKER, ...HOSTILE }],
])('no route answers with the host that a client chose by %s', async (_, base, headers) => {
  const walked = routes();
  expect(walked.length).toBeGreaterThan(40);
  for (const { method, path } of walked) {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' };
    const answer = await answerOf(base + path, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      ...body,
    });
    expect([method, path, answer.includes(ATTACKER) ? answer : undefined]).toEqual([method, path, undefined]);
  }
});

test('a sign-in does not return to the host that a client chose', async () => {
  const launch: RemoteLaunch = {
    kind: 'remote',
    transport: 'http',
    url: 'http://127.0.0.1:9/mcp',
    headers: {},
  };
  const remote = await openApi({
    servers: [{ ...serverSpec('remote', 'echo', { lazy: true }), launch }],
    hostRules: { hostname: '0.0.0.0' },
  });
  try {
    const answer = await remote.request(`http://${ATTACKER}/api/v1/servers/remote/sign-in`, {
      method: 'POST',
      headers: { host: ATTACKER, ...HOSTILE, 'Content-Type': 'application/json' },
      body: JSON.stringify({ redirectUri: `http://${ATTACKER}/signed-in` }),
    });
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      expect.stringContaining('redirectUri must be /signed-in of a host that --allowed-hosts or resource'),
    ]);
  } finally {
    await remote.close();
  }
});
