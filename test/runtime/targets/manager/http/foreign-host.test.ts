import { expect, test } from 'vitest';
import {
  answersWithAttacker,
  ATTACKER,
  FOREIGN_PAGES,
  HOSTILE_HEADERS,
  HOSTILE_WAYS,
  routesOf,
  statusesOf,
  withoutStatus,
} from '#test/helpers/hostile-hosts.ts';
import type { RemoteLaunch } from '#manager/config/spec.ts';
import { serverSpec } from '../server-spec.ts';
import { openApi } from './open-api.ts';
import { useApi } from './use-api.ts';

const api = useApi(() => ({
  servers: [serverSpec('echo', 'echo')],
  hostRules: { hostname: '0.0.0.0', anyName: () => true },
}));

test.each(HOSTILE_WAYS)('no response contains a host that the client set by %s', async (_, base, headers) => {
  const routes = routesOf(api().app);
  expect(routes.length).toBeGreaterThan(40);
  expect(await answersWithAttacker(api().app, routes, base, headers)).toEqual([]);
});

test('a sign-in does not redirect to a host that the client set', async () => {
  const launch: RemoteLaunch = {
    kind: 'remote',
    transport: 'http',
    url: 'http://127.0.0.1:9/mcp',
    headers: {},
  };
  const remote = await openApi({
    servers: [{ ...serverSpec('remote', 'echo', { lazy: true }), launch }],
    hostRules: { hostname: '0.0.0.0', anyName: () => true },
  });
  try {
    const answer = await remote.request(`http://${ATTACKER}/api/v1/servers/remote/sign-in`, {
      method: 'POST',
      headers: { host: ATTACKER, ...HOSTILE_HEADERS, 'Content-Type': 'application/json' },
      body: JSON.stringify({ redirectUri: `http://${ATTACKER}/signed-in` }),
    });
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      expect.stringContaining(
        'redirectUri must be /signed-in on a host from --allowed-hosts or from resource',
      ),
    ]);
  } finally {
    await remote.close();
  }
});

test.each(FOREIGN_PAGES)('without keys, every route rejects %j', async (headers) => {
  for (const hostname of ['127.0.0.1', '0.0.0.0']) {
    const open = await openApi({ servers: [], hostRules: { hostname } });
    try {
      const statuses = await statusesOf(open.app, headers);
      expect(statuses.length).toBeGreaterThan(40);
      expect(withoutStatus(statuses, 403)).toEqual([]);
    } finally {
      await open.close();
    }
  }
});
