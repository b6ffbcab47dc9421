import { expect, test } from 'vitest';
import { directRoutesOf, type Route } from '#serve/http/route.ts';
import { gatewayRoutes } from '#gateway/api/app.ts';
import { BODY_ENDPOINTS, ENDPOINTS } from '#gateway/requests/completions/endpoints/index.ts';
import { APP_OPTIONS } from './open-gateway.ts';
import { useSignIn } from './use-sign-in.ts';

const { start } = useSignIn();

interface Documented {
  readonly description?: string;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, unknown>>;
}

/** The roles that guards require, by the first words of their description. */
const ROLES = [
  ['Requires the master key or the role admin.', { admin: 200, viewer: 403, member: 403 }],
  ['Requires the master key or the role viewer.', { admin: 200, viewer: 200, member: 403 }],
] as const;

const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string =>
  `${method.toUpperCase()} ${path}`;

test("the document contains each declared route with its guard's description and errors", async () => {
  const { context, request } = await start();
  const { body } = await request('/openapi.json');
  const routes = gatewayRoutes(context, APP_OPTIONS);
  expect(routes.length).toBeGreaterThan(160);
  const undocumented: string[] = [];
  for (const route of routes) {
    const { operation, guard } = route;
    if (!operation) {
      undocumented.push(nameOf(route));
      continue;
    }
    const documented: Documented = body.paths[operation.path][operation.method];
    const { description = '', responses, security } = documented;
    const name = nameOf(route);
    expect([name, description.startsWith(guard.requires ?? '')]).toEqual([name, true]);
    expect([name, security]).toEqual([name, guard.isOpen === true ? [] : undefined]);
    const errors = [...guard.errors, ...(guard.isOpen === true ? [] : [401])].map(String);
    expect([name, errors.filter((status) => !(status in responses))]).toEqual([name, []]);
  }
  // Pages, browser redirects, and paths of older clients.
  expect(undocumented).toEqual([
    'POST /v1beta/models/:call{.+}',
    'POST /v1/models/:call{.+:(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)}',
    'GET /auth/sign-in',
    'GET /auth/callback',
    'POST /auth/consent',
  ]);
});

test('model endpoints with a JSON body bypass the router, only at their exact paths', async () => {
  const { context } = await start();
  const direct = directRoutesOf(gatewayRoutes(context, APP_OPTIONS), { maxBodyBytes: 1 });
  const endpoints = BODY_ENDPOINTS.filter((endpoint) => !ENDPOINTS[endpoint].fileField);
  expect(direct.map(({ route }) => route)).toEqual(endpoints);
  for (const { route, path, signIn } of direct) {
    expect(signIn).toBeDefined();
    const match = (url: string): boolean => path.test(url);
    expect([route, `${route}?beta=true`].map(match)).toEqual([true, true]);
    expect([`${route}/`, `${route}/more`, `/other${route}`].map(match)).toEqual([false, false, false]);
  }
});

test('the app has only declared routes', async () => {
  const { context, app } = await start();
  const declared = new Set(gatewayRoutes(context, APP_OPTIONS).map(nameOf));
  const others = app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => !declared.has(route));
  const pages = /^GET \/(?:docs|assets\/.*)?$/;
  expect([...new Set(others)].filter((route) => !pages.test(route)).toSorted()).toEqual([
    'GET /healthz',
    'GET /metrics',
    'GET /openapi.json',
    'GET /openapi.yaml',
    'GET /readyz',
  ]);
});

test('role guards reject other roles and requests without credentials', async () => {
  const { context, ask, request } = await start();
  const keys = new Map<string, string>();
  for (const role of ['viewer', 'member']) {
    await ask('POST', '/v1/users', { user_id: role, role });
    const { body } = await ask('POST', '/v1/keys', { user_id: role, scope: 'manage' });
    keys.set(role, String(body.key));
  }
  let tried = 0;
  for (const { method, path, guard, operation } of gatewayRoutes(context, APP_OPTIONS)) {
    if (!operation || guard.isOpen === true) continue;
    const url = path.replaceAll(/:\w+(?:\{.*\})?/g, 'x');
    const headers = { 'Content-Type': 'application/json', 'Tus-Resumable': '1.0.0' };
    const send = async (key: string | undefined): Promise<number> => {
      const credential = key === undefined ? {} : { 'X-Gateway-Key': `Bearer ${key}` };
      const body = method === 'get' ? {} : { body: '{}' };
      return (
        await request(url, { method: method.toUpperCase(), headers: { ...headers, ...credential }, ...body })
      ).status;
    };
    expect([method, path, await send(undefined)]).toEqual([method, path, 401]);
    const [, roles] = ROLES.find(([sentence]) => guard.requires === sentence) ?? [];
    if (!roles) continue;
    tried += 1;
    for (const role of ['viewer', 'member'] as const) {
      const isRefused = (await send(keys.get(role))) === 403;
      expect([method, path, role, isRefused]).toEqual([method, path, role, roles[role] === 403]);
    }
  }
  expect(tried).toBeGreaterThan(40);
});

test('all routes with POST accept an Idempotency-Key, unless repeating a request has no further effect', async () => {
  const { context } = await start();
  const posts = gatewayRoutes(context, APP_OPTIONS).filter(({ method }) => method === 'post');
  const keyed = posts.filter(({ around }) => around !== undefined);
  expect(keyed.length).toBeGreaterThan(40);
  for (const { operation } of keyed.filter((route) => route.operation))
    expect(operation?.parameters?.map(({ name }) => name)).toContain('Idempotency-Key');
  const others = posts.filter(({ around }) => around === undefined).map(({ path }) => path);
  expect(others.filter((path) => !path.startsWith('/api/v1/worker/'))).toEqual([
    '/v1beta/models/:call{.+:countTokens}',
    '/v1/messages/count_tokens',
    '/v1/responses/input_tokens',
    '/v1/responses/:id/cancel',
    '/v1/batches/:id/cancel',
    '/auth/token',
    '/auth/sign-out',
    '/auth/consent',
    '/v1/me/invitations/:team/accept',
    '/v1/alerts/test',
    '/v1/admin/reload',
    '/v1/feedback',
    '/api/v1/workflows/:id/cancel',
    '/api/v1/jobs/:id/cancel',
  ]);
});
