import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Manager, type processesIn, until } from './processes.ts';

/** The environment shared by the checks with `oidc-provider`. */
export interface ProviderChecks {
  readonly processes: ReturnType<typeof processesIn>;
  readonly check: (what: string, work: () => Promise<void>) => Promise<void>;
  readonly callTool: (
    manager: Manager,
    server: string,
    tool: string,
    args: object,
    key?: string,
  ) => Promise<string>;
  /** Returns the configuration of a remote server. */
  readonly remote: (name: string, url: string) => string;
  /** The folder with the protected manager's `audit.jsonl`. */
  readonly folder: string;
  /** The protected manager, and the one with opaque tokens. */
  readonly resource: string;
  readonly opaqueResource: string;
  /** The key of the client `key-robot` as PEM. */
  readonly privateKey: string;
  /** A server that requires tokens bound to a key. */
  readonly dpopServer: string;
  /** Returns the configuration of a protected manager. */
  readonly protect: (settings: string) => string;
  readonly robotToken: (resource: string) => Promise<string>;
  readonly issuer: string;
  readonly ports: Readonly<Record<'users' | 'pages' | 'robots' | 'opaque' | 'acting', number>>;
}

const echo = { message: 'hello' };

/** Two users of the same manager sign in to the same server. */
export async function checkUsers({
  processes,
  check,
  callTool,
  remote,
  folder,
  resource,
  ports,
}: ProviderChecks): Promise<void> {
  await check('oidc-provider: two users of one manager, each with the own sign-in, in parallel', async () => {
    const config = `${remote('person', `${resource}/mcp/echo`)}[servers.oauth]\nsign_in = "per_user"\n`;
    const users = await processes.startManager('users', ports.users, config);
    const keys = new Map<string, string>();
    for (const name of ['ann', 'bob']) {
      const { stdout } = await users.run(['keys', 'create', '--name', name]);
      keys.set(name, String(stdout));
    }
    const call = (name: string): Promise<string> =>
      callTool(users, 'person', 'echo', { message: name }, keys.get(name));
    await until('a key is required', () =>
      call('ann').then(
        () => false,
        (error: Error) => error.message.includes('/sign-in?server=person'),
      ),
    );
    for (const [name, key] of keys) {
      await users.run(['login', 'person', '--url', users.url, '--api-key', key], { env: { PERSON: name } });
    }
    const names: string[] = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 'ann' : 'bob'));
    await Promise.all(names.map(call));
    const audited = (): { caller: string; args: { message?: string } }[] =>
      readFileSync(join(folder, 'audit.jsonl'), 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { caller: string; args: { message?: string } })
        .filter(({ args }) => names.includes(args.message ?? ''));
    // The log is written in the background.
    await until('all calls are in the audit log', () => Promise.resolve(audited().length === names.length));
    const wrong = audited().filter(({ caller, args }) => caller !== `user:${args.message}`);
    if (wrong.length > 0) throw new Error(`a call had another user: ${JSON.stringify(wrong[0])}`);
    await users.run(['logout', 'person', '--url', users.url, '--api-key', keys.get('ann') ?? '']);
    await call('bob');
    await call('ann').then(
      () => Promise.reject(new Error('ann is still signed in')),
      () => undefined,
    );
  });
}

/** A manager that acts for its users at another manager, which requires tokens for itself. */
export async function checkActing({
  processes,
  check,
  callTool,
  remote,
  folder,
  resource,
  protect,
  robotToken,
  issuer,
  ports,
}: ProviderChecks): Promise<void> {
  const own = `http://127.0.0.1:${ports.acting}`;
  const client = `client_id = "acting"\nclient_secret = "secret-of-acting"\nissuer = ${JSON.stringify(issuer)}\nscope = "use"\n`;
  const idp = `identity_provider = ${JSON.stringify(issuer)}\nidentity_client_id = "acting"\nidentity_client_secret = "secret-of-acting"\n`;
  const acting = await processes.startManager(
    'acting',
    ports.acting,
    protect(`resource = ${JSON.stringify(own)}\n`) +
      `${remote('exchanged', `${resource}/mcp`)}[servers.oauth]\ngrant = "token_exchange"\n${client}` +
      `${remote('cross-app', `${resource}/mcp`)}[servers.oauth]\ngrant = "cross_app_access"\n${client}${idp}`,
  );
  for (const [what, server] of [
    ['token exchange (RFC 8693)', 'exchanged'],
    ['cross-app access (ID-JAG, RFC 7523)', 'cross-app'],
  ] as const) {
    await check(`oidc-provider: ${what} for the user of a manager, also after the expiry`, async () => {
      for (let times = 0; times < 2; times += 1) {
        const token = await robotToken(`${own}/mcp`);
        const message = `acting ${server} ${times}`;
        await callTool(acting, server, 'echo__echo', { message }, token);
        const audited = (): string | undefined =>
          readFileSync(join(folder, 'audit.jsonl'), 'utf8')
            .split('\n')
            .find((line) => line.includes(message));
        await until('the call is in the audit log', () => Promise.resolve(audited() !== undefined));
        if (audited()?.includes('"caller":"user:robot"') !== true) throw new Error(audited());
        if (times === 0) await sleep(15_000);
      }
    });
  }
}

/** Clients with a key, tokens that are bound to a key, and opaque tokens. */
export async function checkProofs({
  processes,
  check,
  callTool,
  remote,
  resource,
  opaqueResource,
  privateKey,
  dpopServer,
  protect,
  robotToken,
  ports,
}: ProviderChecks): Promise<void> {
  const robots = await processes.startManager(
    'robots',
    ports.robots,
    `${remote('key', `${resource}/mcp`)}[servers.oauth]\nclient_id = "key-robot"\nprivate_key = ${JSON.stringify(privateKey)}\nprivate_key_id = "one"\n` +
      `${remote('bound', dpopServer)}[servers.oauth]\nclient_id = "key-robot"\nprivate_key = ${JSON.stringify(privateKey)}\n` +
      remote('bound-person', dpopServer) +
      `${remote('opaque', `${opaqueResource}/mcp`)}[servers.oauth]\nclient_id = "robot"\nclient_secret = "secret-of-the-robot"\n`,
  );
  await check('oidc-provider: a client with a key (private_key_jwt)', async () => {
    await callTool(robots, 'key', 'echo__echo', echo);
  });
  await check(
    'oidc-provider: tokens bound to a key (DPoP) with nonces, for a client with a key',
    async () => {
      const subject = await callTool(robots, 'bound', 'whoami', {});
      if (subject !== '"key-robot"') throw new Error(subject);
    },
  );
  await check('oidc-provider: tokens bound to a key (DPoP) for a person, and after a refresh', async () => {
    await robots.run(['login', 'bound-person']);
    const whoami = (): Promise<string> => callTool(robots, 'bound-person', 'whoami', {});
    await until('a call works', async () => (await whoami()) === '"ann"');
    await sleep(15_000);
    if ((await whoami()) !== '"ann"') throw new Error('another subject');
  });
  await check('oidc-provider: opaque tokens, which a manager introspects', async () => {
    const settings = `resource = ${JSON.stringify(opaqueResource)}\nintrospection_client_id = "manager"\n`;
    await processes.startManager('opaque', ports.opaque, protect(settings), {
      env: { MCP_MANAGER_INTROSPECTION_SECRET: 'secret-of-the-manager' },
    });
    const token = await robotToken(`${opaqueResource}/mcp`);
    if (token.includes('.')) throw new Error('the token is not opaque');
    await robots.run(['restart', 'opaque', '--url', robots.url]);
    await callTool(robots, 'opaque', 'echo__echo', echo);
    const refused = await fetch(`${opaqueResource}/api/v1/servers`, {
      headers: { authorization: `Bearer ${token}x` },
    });
    if (refused.status !== 401) throw new Error(`a wrong token has status ${refused.status}`);
  });
}
