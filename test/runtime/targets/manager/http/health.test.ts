import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { readConfig } from '#manager/config/read-config.ts';
import type { Health, ManagedServer } from '#manager/supervisor/managed-server.ts';
import { healthView } from '#manager/http/views/server-view.ts';
import { serverSpec } from '../server-spec.ts';
import { FIXTURES } from '#test/helpers/paths.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { openApi } from './open-api.ts';
import { useApi } from './use-api.ts';

const api = useApi(() => ({
  servers: [serverSpec('zebra', 'echo'), serverSpec('ant', 'echo')],
}));

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

test('returns the health of all servers, by name', async () => {
  await expect
    .poll(async () =>
      (await api().get('/api/v1/health/servers')).body.servers.map(({ status }: Health) => status),
    )
    .toEqual(['ok', 'ok']);
  const { body, headers } = await api().get('/api/v1/health/servers');
  expect(headers.get('Link')).toBe('</schemas/ServersHealthResponseBody.json>; rel="describedBy"');
  expect(Object.entries(body)[0]).toEqual([
    '$schema',
    'http://localhost/schemas/ServersHealthResponseBody.json',
  ]);
  expect(body.servers.map(({ name }: { name: string }) => name)).toEqual(['ant', 'zebra']);
  const { body: one } = await api().get('/api/v1/health/servers/ant');
  expect(one).toEqual({
    $schema: 'http://localhost/schemas/ServerHealth.json',
    name: 'ant',
    status: 'ok',
    lastChecked: expect.stringMatching(TIME),
    lastSuccessful: expect.stringMatching(TIME),
    latency: expect.stringMatching(/^\d+(\.\d+)?(ns|µs|ms|s)$/),
  });
});

const viewOf = (health: Health): object => {
  const server = {
    name: 'x',
    health: () => health,
    signIn: () => undefined,
    status: () => ({ warnings: [] }),
    listFaults: { all: () => [] },
    pinFindings: { itemChanges: () => [], changes: () => [], faults: () => [] },
  } as unknown as ManagedServer;
  return healthView(server, { definitionFindings: () => [] });
};

test('unknown values are omitted, and latency is only recorded for checks with a response', () => {
  expect(
    viewOf({ status: 'unknown', lastChecked: undefined, lastSuccessful: undefined, latencyNs: undefined }),
  ).toEqual({ name: 'x', status: 'unknown' });
  expect(viewOf({ status: 'timeout', lastChecked: 1000.5, lastSuccessful: 0, latencyNs: 1_234_567 })).toEqual(
    {
      name: 'x',
      status: 'timeout',
      lastChecked: '1970-01-01T00:00:01.0005Z',
      lastSuccessful: '1970-01-01T00:00:00Z',
    },
  );
  expect(viewOf({ status: 'ok', lastChecked: 0, lastSuccessful: 0, latencyNs: 1_234_567 })).toMatchObject({
    latency: '1.234567ms',
  });
});

describe('a server name with capitals', () => {
  const folder = useTempFolder();

  test('a server whose configured name contains capitals is found under that name and in lowercase', async () => {
    const config = join(folder(), '.mcpd.toml');
    const echo = join(FIXTURES, 'mcp-servers', 'echo.mjs');
    const server = { name: 'MyTools', command: process.execPath, args: [echo], tools: ['*'] };
    writeFileSync(config, stringify({ servers: [server] }));
    const { servers } = await readConfig({ config, runtime: join(folder(), 'none.toml') }, {});
    const api = await openApi({ servers });
    expect((await api.get('/api/v1/servers')).body).toEqual(['mytools']);
    for (const name of ['MyTools', 'mytools']) {
      expect((await api.get(`/api/v1/health/servers/${name}`)).body.name).toBe('mytools');
      const path = `/api/v1/servers/${name}/tools/echo`;
      expect((await api.post(path, { message: 'hello' })).body).toBe('hello');
    }
    await api.close();
  });
});
