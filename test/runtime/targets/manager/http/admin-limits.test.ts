import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ManagerWithFiles, serverToml, startWithFiles } from './start-with-files.ts';

let manager: ManagerWithFiles;
beforeAll(async () => {
  manager = await startWithFiles(
    `${serverToml('echo', 'echo')}\n${serverToml('tickets', 'echo', { lazy: true })}`,
  );
  for (const server of ['echo', 'tickets']) {
    const entry = {
      at: '2026-01-01T00:00:00Z',
      server,
      tool: 'hello',
      kind: 'tool',
      caller: 'user',
      outcome: 'ok',
    };
    appendFileSync(manager.path('audit.jsonl'), `${JSON.stringify(entry)}\n`);
  }
});
afterAll(() => manager.close());

interface Operation {
  readonly method: string;
  readonly path: string;
}

/** The admin operations in the OpenAPI document, which contains all routes. */
async function operations(): Promise<readonly Operation[]> {
  const { body } = await manager.get('/openapi.json');
  const paths = Object.entries<Record<string, unknown>>(body.paths);
  const all = paths.flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method, path })));
  return all
    .filter(({ path }) => path.startsWith('/api/v1/admin/'))
    .map(({ method, path }) => ({ method: method.toUpperCase(), path }));
}

const send = async ({ method, path }: Operation, name: string, key: string) =>
  await manager.send(
    method,
    path.replaceAll(/\{[^}]+\}/g, name),
    method === 'POST' || method === 'PUT' ? {} : undefined,
    key,
  );

const shown = ({ method, path }: Operation, status: number): string => `${status} ${method} ${path}`;

test('an admin key that is limited to some servers can neither read nor change any other servers', async () => {
  const all = await operations();
  expect(all.length).toBeGreaterThan(15);
  const lists: string[] = [];
  for (const operation of all) {
    const { status, text } = await send(operation, 'tickets', manager.keys.limited);
    if (status !== 403) lists.push(shown(operation, status));
    expect([shown(operation, status), status !== 403 && text.includes('tickets')]).toEqual([
      shown(operation, status),
      false,
    ]);
  }
  // Their responses contain only the key's servers.
  expect(lists.toSorted()).toEqual([
    '200 GET /api/v1/admin/audit',
    '200 GET /api/v1/admin/configuration',
    '200 GET /api/v1/admin/findings',
    '200 GET /api/v1/admin/pins',
    '200 GET /api/v1/admin/servers',
    '200 GET /api/v1/admin/status',
  ]);
});

test('an admin key that is limited to some servers can manage those servers', async () => {
  const get = async (path: string) => await manager.get(`/api/v1/admin/${path}`, manager.keys.limited);
  const { body: status } = await get('status');
  expect(status.servers).toMatchObject([{ name: 'echo' }]);
  expect((await get('servers')).body).toMatchObject({ servers: [{ name: 'echo' }], total: 1 });
  expect((await get('configuration')).body).toMatchObject({ servers: [{ name: 'echo' }], total: 1 });
  expect((await get('audit')).body).toMatchObject({ entries: [{ server: 'echo' }] });
  for (const path of ['servers/echo', 'servers/ECHO/logs', 'configuration/servers/echo'])
    expect([path, (await get(path)).status]).toEqual([path, 200]);
  const restart = '/api/v1/admin/servers/echo/restart';
  expect((await manager.send('POST', restart, undefined, manager.keys.limited)).status).toBe(200);
  const refused = await manager.send('POST', '/api/v1/admin/reload', undefined, manager.keys.limited);
  expect(refused.body.detail).toBe(
    '"limited" is limited to some servers, but this request requires access to all servers. Use an admin key without server limits.',
  );
});

test('a read-only admin key cannot make any changes, even with edit permission', async () => {
  for (const operation of await operations()) {
    const { status, text } = await send(operation, 'echo', manager.keys.reader);
    const isChange = operation.method !== 'GET';
    const isRefused = status === 403 && text.includes('is read-only');
    expect([shown(operation, status), isRefused]).toEqual([shown(operation, status), isChange]);
  }
});
