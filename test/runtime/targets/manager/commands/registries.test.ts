import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { CATALOG, PAGES } from './registry-pages.ts';
import { workplace } from './workplace.ts';

const folder = useTempFolder();

let server: Server;
let origin = '';
let requests: string[] = [];
let isDown = false;
beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    if (isDown) return void response.writeHead(503).end();
    if (pathname === '/catalog.yaml') return void response.end(CATALOG);
    if (pathname !== '/v0/servers') return void response.writeHead(404).end();
    const search = searchParams.get('search') ?? '';
    const page = PAGES[searchParams.get('cursor') === null ? 0 : 1];
    const servers = page?.servers.filter((one) => JSON.stringify(one).includes(search));
    return void response.end(JSON.stringify({ ...page, servers }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});
beforeEach(() => {
  requests = [];
  isDown = false;
  vi.stubEnv('XDG_CACHE_HOME', join(folder(), 'cache'));
});

async function opened() {
  const place = workplace(folder());
  await place.run('init');
  const servers = () => parse(place.read('.mcpd.toml'))['servers'];
  return { ...place, servers };
}

test('entries from the official registry are read in both formats, across pages and with search', async () => {
  const { run, servers } = await opened();
  const found = await run('search', '--registry', origin, '--source', origin, '--json');
  expect(requests).toEqual([
    '/v0/servers?limit=100&version=latest',
    '/v0/servers?limit=100&version=latest&cursor=io.github.ada%2Ffiles%3A2.1.0',
  ]);
  const ids = (JSON.parse(found.out) as { id: string }[]).map(({ id }) => id);
  expect(ids).toEqual([
    'com.example/secret',
    'com.example/stale',
    'com.example/tenants',
    'com.example/tickets',
    'io.github.ada/files',
    'io.modelcontextprotocol/clock',
  ]);
  const source = `${origin}/v0/servers`;
  expect(found.err.trimEnd().split('\n')).toEqual([
    `Warning: ${source}: skipped the server com.example/broken: its remote server has the invalid URL "https://{a b}.example/mcp".`,
    `Warning: ${source}: skipped the server com.example/bundle: packages of the type "mcpb" are not supported; use npx, uvx, docker.`,
    `Warning: ${source}: skipped the server com.example/http: its package uses the transport "streamable-http", not stdio.`,
    `Warning: ${source}: skipped the server com.example/options: "-x" is not a package name for npx.`,
  ]);
  expect((await run('search', '--registry', `${origin}/v0`, '--runtime', 'remote')).out).toMatch(
    /com.example\/tickets +remote/,
  );

  const registry = ['--registry', origin, '--tool', '*'];
  // Skipped servers are also found by the last part of their name.
  expect((await run('add', 'bundle', ...registry)).err).toContain(
    'lists com.example/bundle, but it cannot be added: packages of the type "mcpb" are not supported',
  );
  const added = await run('add', 'io.github.ada/files', ...registry);
  expect(requests.at(-2)).toBe('/v0/servers?limit=100&version=latest&search=io.github.ada%2Ffiles');
  expect(added.err).toContain('Added files to .mcpd.toml.\nThe server requires the variable API_KEY.');
  await run('add', 'clock', ...registry);
  const tickets = await run('add', 'tickets', ...registry);
  expect(tickets.err).toContain(
    'The server requires the header X-Key. Run `mcp-manager config headers set tickets X-Key=<value>`.\n',
  );
  expect((await run('add', 'stale', ...registry)).err).toContain('is deprecated and receives no fixes.');
  expect(servers()).toEqual([
    {
      name: 'files',
      package: 'npx::@ada/files@2.1.0',
      args: ['--mode=safe $$HOME'],
      required_env: ['API_KEY'],
      required_args: ['--token'],
      required_args_positional: ['dir'],
      tools: ['*'],
    },
    { name: 'clock', package: 'uvx::mcp-clock@1.0.2', required_env: ['ZONE'], tools: ['*'] },
    { name: 'tickets', url: 'https://tickets.example/mcp', tools: ['*'] },
  ]);
});

test('a Docker catalog is read with image digests, secrets, variables, volumes and remote servers', async () => {
  const { run, servers } = await opened();
  const registry = ['--registry', `${origin}/catalog.yaml`];
  expect((await run('search', ...registry, '--tag', 'sql', '--license', 'mit')).out).toMatch(
    /db +docker +Queries a database/,
  );
  const added = await run('add', 'db', ...registry);
  expect(added.err).toContain('skipped the server box: servers of the type "poci" are not supported.');
  expect(added.err).toContain('Its arguments contain the environment variable CONFIG_PATH.');
  expect(added.err).toContain(
    'The server requires a folder. Run `mcp-manager config volumes set db data_path=<folder>`.',
  );
  const far = await run('add', 'far', ...registry, '--tool', '*', '--header', 'authorization=Bearer x');
  expect(far.err).not.toContain('The server requires the header');
  expect(servers()).toEqual([
    {
      name: 'db',
      package: `docker::acme/db@sha256:${'a'.repeat(64)}`,
      args: ['--config=${CONFIG_PATH}', '--price=$$5'],
      required_env: ['DB_PASSWORD', 'DB_HOST'],
      volumes: { data_path: { path: '/data', required: true } },
      tools: ['query'],
    },
    { name: 'far', url: 'https://far.example/mcp', transport: 'sse', tools: ['*'] },
  ]);
});

test('an mcpm file is read with variables, and with packages that are named in command arguments', async () => {
  const { run, write, path, servers } = await opened();
  write(
    'mcpm.json',
    JSON.stringify({
      zones: {
        name: 'zones',
        display_name: 'Zones',
        is_official: true,
        arguments: { TZ: { required: true }, LANG: { required: false }, KEY: { required: true } },
        installations: {
          docker: { command: 'docker', args: ['run', '-i', '--rm', '-e', 'KEY', 'acme/zones:3', '--x'] },
          npm: {
            command: 'npx',
            args: ['-y', '@acme/zones@1.2.3', '--tz=${TZ}', '--lang=${LANG}', '--other=${AWS_SECRET}', '$1'],
            env: { KEY: '${KEY}' },
            recommended: true,
          },
        },
        tools: [{ name: 'list' }],
      },
      loose: { installations: { uvx: { command: 'uvx', args: ['loose'] } } },
    }),
  );
  const registry = ['--registry', path('mcpm.json')];
  const { err } = await run('add', 'zones', ...registry);
  expect(err).toContain('The server requires the variable KEY.');
  expect(err).toContain('Its arguments contain the environment variable TZ.');
  await run('remove', 'zones');
  await run('add', 'zones', ...registry, '--runtime', 'docker');
  expect(servers()).toMatchObject([{ package: 'docker::acme/zones@3', args: ['--x'] }]);
  await run('remove', 'zones');
  await run('add', 'zones', ...registry);
  const loose = await run('add', 'loose', ...registry, '--tool', '*');
  expect(loose.err).toContain(
    'Warning: the registry lists no version of loose, so each start can run a different version. Pass --version to pin one.',
  );
  expect(servers()).toMatchObject([
    // A variable that the registry does not declare as required is not read from this machine.
    { package: 'npx::@acme/zones@1.2.3', args: ['--tz=${TZ}', '$$1'], required_env: ['KEY'] },
    { package: 'uvx::loose@latest' },
  ]);
});

test('cached registries are used until they reach the maximum age, and afterwards with a warning if the registry is unavailable', async () => {
  const { run } = await opened();
  const search = (...args: string[]) => run('search', 'db', '--registry', `${origin}/catalog.yaml`, ...args);
  await search();
  const fresh = await search();
  expect(requests).toHaveLength(1);
  expect(fresh.err).not.toContain('copy');
  await search('--registry-max-age', '0s');
  expect(requests).toHaveLength(2);
  isDown = true;
  const old = await search('--registry-max-age', '0s');
  expect(old).toMatchObject({ code: 0, out: expect.stringContaining('Queries a database.') });
  expect(old.err).toContain(
    `Warning: The registry ${origin}/catalog.yaml returned status 503. The cached copy from 1 min ago is used.\n`,
  );
  const cache = join(folder(), 'cache', 'encoderfile', 'registries');
  expect(readdirSync(cache)).toHaveLength(1);
  rmSync(cache, { recursive: true });
  expect(await search()).toMatchObject({
    code: 1,
    err: `Error: The registry ${origin}/catalog.yaml returned status 503.\n`,
  });
  expect(await run('search', '--registry', 'http://127.0.0.1:1/v0/servers')).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /^Error: The registry http:\/\/127.0.0.1:1\/v0\/servers\?\S+ is not reachable: .+\.\n$/,
    ),
  });
});
