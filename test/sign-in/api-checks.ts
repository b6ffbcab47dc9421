import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { until } from './processes.ts';
import type { ProviderChecks } from './provider-checks.ts';

const HERE = import.meta.dirname;
const REDIRECT = 'http://127.0.0.1:9/callback';

interface ApiChecks extends Pick<ProviderChecks, 'processes' | 'check' | 'callTool' | 'issuer'> {
  readonly ports: Readonly<Record<'api' | 'apiUsers', number>>;
}

/** Users sign in to an API, which is described by an OpenAPI document and has an independent authorization server. */
export async function checkApi({ processes, check, callTool, issuer, ports }: ApiChecks): Promise<void> {
  const api = `http://127.0.0.1:${ports.api}`;
  await processes.start([join(HERE, 'api-server.mjs'), String(ports.api), issuer]);
  const server = (name: string, oauth: string): string =>
    `[[servers]]\nname = "${name}"\nopenapi = "${api}/openapi.json"\ntools = ["*"]\n[servers.api]\nbase_url = "${api}"\nexclude = ["/secrets"]\n` +
    `[servers.oauth]\nissuer = "${issuer}"\nsign_in = "per_user"\n${oauth}`;
  const users = await processes.startManager(
    'api-users',
    ports.apiUsers,
    server('notes', '') +
      server('narrow', 'scope = "notes:read"\n') +
      server('other', 'client_id = "web-app"\n'),
  );
  const keys = new Map<string, string>();
  for (const name of ['ann', 'bob']) {
    keys.set(name, String((await users.run(['keys', 'create', '--name', name])).stdout));
  }
  const keyOf = (name: string): string => keys.get(name) ?? '';
  const call = async (name: string, tool: string, of = 'notes'): Promise<string> =>
    (await callTool(users, of, tool, {}, keyOf(name))).replaceAll('\\"', '"');
  const failure = async (work: Promise<unknown>): Promise<string> =>
    await work.then(
      (value) => Promise.reject(new Error(`it succeeded: ${String(value)}`)),
      (error: Error) => error.message,
    );
  const login = async (name: string, of = 'notes'): Promise<string> => {
    const target = ['--url', users.url, '--api-key', keyOf(name)];
    return String((await users.run(['login', of, ...target], { env: { PERSON: name } })).stdout);
  };
  const send = async (
    name: string,
    of: string,
    path: string,
    body: object,
  ): Promise<Record<string, string>> => {
    const response = await fetch(`${users.url}/api/v1/servers/${of}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keyOf(name)}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    return JSON.parse(text) as Record<string, string>;
  };
  /** Starts a sign-in and returns the query of the redirect, which no program has received. */
  const authorize = async (name: string): Promise<URLSearchParams> => {
    const { authorizationUrl = '' } = await send(name, 'notes', 'sign-in', { redirectUri: REDIRECT });
    const { stdout } = await execa(
      process.execPath,
      [join(HERE, 'browser.mjs'), '--stop', authorizationUrl],
      {
        env: { PERSON: name },
      },
    );
    return new URL(stdout).searchParams;
  };
  const complete = async (name: string, query: URLSearchParams): Promise<unknown> =>
    await send(name, 'notes', 'sign-in/complete', { query: query.toString() });
  const contains = (text: string, part: string): void => {
    if (!text.includes(part)) throw new Error(`no ${part} in: ${text}`);
  };

  await check(
    'API: a sign-in requests the scopes of the operations, with PKCE and dynamic registration',
    async () => {
      await until('a key is required', async () =>
        (await failure(call('ann', 'list'))).includes('/sign-in?server=notes'),
      );
      const printed = await login('ann');
      for (const scope of ['notes:read', 'notes:write']) contains(printed, scope);
      if (printed.includes('notes:secret')) throw new Error(`an excluded operation: ${printed}`);
      for (const [tool, method] of [
        ['list', 'GET'],
        ['add', 'POST'],
      ] as const) {
        contains(await call('ann', tool), `"method":"${method}"`);
        contains(await call('ann', tool), '"sub":"ann"');
      }
      contains(await failure(call('bob', 'list')), '/sign-in?server=notes');
    },
  );
  await check('API: an operation that requires a further scope works after the next sign-in', async () => {
    contains(await failure(call('ann', 'purge')), 'requires (notes:admin). Run `mcp-manager login notes`');
    contains(await login('ann'), 'notes:admin');
    contains(await call('ann', 'purge'), '"method":"DELETE"');
    contains(await call('ann', 'list'), '"method":"GET"');
  });
  await check('API: configured scopes replace those of the document', async () => {
    const printed = await login('ann', 'narrow');
    if (printed.includes('notes:write')) throw new Error(printed);
    contains(await call('ann', 'list', 'narrow'), '"method":"GET"');
    contains(await failure(call('ann', 'add', 'narrow')), 'requires (notes:write)');
  });
  const latest = async (): Promise<{ readonly token: string; readonly client: string }> =>
    (await (await fetch(`${api}/latest`)).json()) as { token: string; client: string };
  await check('API: an expired access token is renewed with all scopes, for parallel calls', async () => {
    await sleep(15_000);
    await Promise.all([1, 2, 3].map(() => call('ann', 'list')));
    contains(await call('ann', 'purge'), '"method":"DELETE"');
  });
  await check(
    'API: a revoked token, with which oidc-provider revokes the refresh token, requires a sign-in',
    async () => {
      await call('ann', 'list');
      const { token, client } = await latest();
      await fetch(`${issuer}/token/revocation`, {
        method: 'POST',
        body: new URLSearchParams({ token, client_id: client }),
      });
      contains(await failure(call('ann', 'list')), 'mcp-manager login notes');
      contains(await failure(call('ann', 'list')), '/sign-in?server=notes');
      contains(await login('ann'), 'notes:read');
      contains(await call('ann', 'list'), '"sub":"ann"');
    },
  );
  await check(
    'API: the state and the code of another user are rejected, and both users can still sign in',
    async () => {
      const [ann, bob] = [await authorize('ann'), await authorize('bob')];
      contains(await failure(complete('ann', bob)), 'no pending sign-in');
      // With PKCE, the code of another sign-in is useless, also with the right state.
      const mixed = new URLSearchParams(ann);
      mixed.set('code', bob.get('code') ?? '');
      contains(await failure(complete('ann', mixed)), 'invalid_grant');
      const again = await authorize('bob');
      await complete('bob', again);
      contains(await call('bob', 'list'), '"sub":"bob"');
      contains(await failure(complete('bob', again)), 'no pending sign-in');
    },
  );
  await check(
    'API: a redirect to another address is rejected by the manager and by the authorization server',
    async () => {
      const elsewhere = { redirectUri: 'https://elsewhere.example/callback' };
      contains(await failure(send('ann', 'notes', 'sign-in', elsewhere)), 'redirectUri must be');
      const { authorizationUrl = '' } = await send('ann', 'other', 'sign-in', { redirectUri: REDIRECT });
      const page = await fetch(authorizationUrl, { redirect: 'manual' });
      if (page.status !== 400) throw new Error(`status ${page.status}`);
      contains(await page.text(), 'invalid_redirect_uri');
    },
  );
  await check('API: logout revokes the tokens of one user', async () => {
    await call('bob', 'list');
    const { token } = await latest();
    await users.run(['logout', 'notes', '--url', users.url, '--api-key', keyOf('bob')]);
    contains(await failure(call('bob', 'list')), '/sign-in?server=notes');
    const response = await fetch(`${api}/notes`, { headers: { authorization: `Bearer ${token}` } });
    if (response.status !== 401) throw new Error(`the token still works: ${response.status}`);
  });
}
