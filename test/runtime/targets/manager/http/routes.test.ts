import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createRedactor } from '#serve/redact.ts';
import { directRoutesOf, type Route } from '#serve/http/route.ts';
import { managerRoutes } from '#manager/http/app.ts';
import { openSignIns } from '#manager/sign-in/sign-in-store.ts';
import { keyOf } from '../access/key-of.ts';
import { useApi } from './use-api.ts';

const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = {
  paths: { config: join(folder, '.mcpd.toml'), runtime: join(folder, 'secrets.toml') },
  keys: join(folder, 'keys.jsonl'),
  auditLog: undefined,
  signIns: openSignIns(folder, { env: {} }),
  packages: { install: () => Promise.resolve(), distrust: () => undefined },
  readServers: () => Promise.resolve([]),
};
const options = { hostRules: { hostname: '127.0.0.1' }, files, redact: createRedactor() };
const KEYS = {
  editor: keyOf('mcpm_editor', { name: 'editor', admin: true, edit: true }),
  limitedEditor: keyOf('mcpm_limitedEditor', { name: 'limited', admin: true, edit: true, servers: ['git'] }),
  admin: keyOf('mcpm_admin', { name: 'admin', admin: true }),
  reader: keyOf('mcpm_reader', { name: 'reader', admin: true, adminReadOnly: true }),
  user: keyOf('mcpm_user', { name: 'user' }),
};
const api = useApi(() => ({ servers: [], files, keys: Object.values(KEYS) }));
const routesOf = (): readonly Route[] => managerRoutes(api().managed.context, options);

const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string =>
  `${method.toUpperCase()} ${path}`;

interface Documented {
  readonly description?: string;
  readonly responses: Readonly<Record<string, unknown>>;
}

test("the document contains each declared route with its guard's description and errors", async () => {
  const { body } = await api().get('/openapi.json');
  const routes = routesOf();
  expect(routes.length).toBeGreaterThan(50);
  const undocumented: string[] = [];
  for (const route of routes) {
    const { operation, guard } = route;
    if (!operation) {
      undocumented.push(nameOf(route));
      continue;
    }
    const { description = '', responses }: Documented = body.paths[operation.path][operation.method];
    expect([nameOf(route), description.startsWith(guard.requires ?? '')]).toEqual([nameOf(route), true]);
    const errors = [...guard.errors, 401].map(String);
    expect([nameOf(route), errors.filter((status) => !(status in responses))]).toEqual([nameOf(route), []]);
  }
  // Another path of the same document.
  expect(undocumented).toEqual([
    'GET /openapi/:server/openapi.json',
    'GET /groups/:group/openapi/:server/openapi.json',
  ]);
});

test('the app has no undeclared routes', () => {
  const declared = new Set(routesOf().map(nameOf));
  const others = api()
    .app.routes.filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => !declared.has(route));
  const pages = /^GET \/(?:docs|sign-in|signed-in|secrets|assets\/.*)?$/;
  expect([...new Set(others)].filter((route) => !pages.test(route)).toSorted()).toEqual([
    'GET /.well-known/jwks.json',
    'GET /healthz',
    'GET /metrics',
    'GET /openapi-3.0.json',
    'GET /openapi-3.0.yaml',
    'GET /openapi.json',
    'GET /openapi.yaml',
    'GET /readyz',
    'GET /schemas/:file',
  ]);
});

test('only tool calls without a query and with plain names are handled directly', () => {
  const direct = directRoutesOf(routesOf(), { maxBodyBytes: 1, withoutQuery: true });
  expect(direct.map(({ route }) => route)).toEqual(['/api/v1/servers/:server/tools/:tool']);
  const partsOf = (url: string): readonly string[] | undefined => direct[0]?.path.exec(url)?.slice(1);
  expect(partsOf('/api/v1/servers/git/tools/git_log')).toEqual(['git', 'git_log']);
  for (const end of ['?result=full', '/', '%20x', '/more']) {
    expect(partsOf(`/api/v1/servers/git/tools/git_log${end}`)).toBeUndefined();
  }
});

/** Whether each key may send a request to the routes with these descriptions, before anything else is checked. */
const PERMISSIONS: Readonly<Record<string, (method: string) => Partial<Record<keyof typeof KEYS, boolean>>>> =
  {
    'Requires a key with admin permission.': (method) => ({
      editor: true,
      admin: true,
      reader: method === 'get',
      user: false,
    }),
    'Requires a key with edit permission.': () => ({
      editor: true,
      limitedEditor: false,
      admin: false,
      reader: false,
      user: false,
    }),
  };

test('a route rejects requests without a credential or without the required permission', async () => {
  let tried = 0;
  for (const { method, path, guard } of routesOf()) {
    const url = path.replaceAll(/:\w+(?:\{[^/]*\/?[^/]*\})?/g, 'x');
    const send = async (key: string | undefined): Promise<number> => {
      const headers = {
        'Content-Type': 'application/json',
        ...(key !== undefined && { Authorization: `Bearer mcpm_${key}` }),
      };
      // The body is not JSON, but a guard rejects the request before its body is read.
      const body = method === 'get' ? {} : { body: '{' };
      return (await api().request(url, { method: method.toUpperCase(), headers, ...body })).status;
    };
    expect([method, path, await send(undefined)]).toEqual([method, path, 401]);
    expect([method, path, await send('unknown')]).toEqual([method, path, 401]);
    const permissions = guard.requires === undefined ? {} : (PERMISSIONS[guard.requires]?.(method) ?? {});
    for (const [key, isAllowed] of Object.entries(permissions)) {
      tried += 1;
      expect([method, path, key, (await send(key)) !== 403]).toEqual([method, path, key, isAllowed]);
    }
  }
  expect(tried).toBeGreaterThan(80);
});
