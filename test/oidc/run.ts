import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { ROOT } from '../helpers/paths.ts';
import { checkPages } from './browser-checks.ts';
import { Browser } from './browser.ts';

// `npm run test:oidc`: signs in to the gateway with `oidc-provider` from npm, which is installed into a temporary folder: on a page with a
// cookie, with `gateway login`, and through the user interface in Chromium and Firefox. Exit code 1 if a check fails.

const VERSION = '9.13.3';
const MASTER_KEY = 'master-key-of-the-test-of-sign-ins';
const SECRET = 'client secret of the test';
const ACCOUNTS = {
  root: { name: 'Root', groups: ['ops'] },
  ada: { name: 'Ada', groups: ['leads', 'staff'] },
  eve: { name: 'Eve', groups: [] },
};

const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-oidc-'));
const children: { readonly kill: () => boolean }[] = [];
const checks: string[] = [];
try {
  await execa('npm', ['install', '--no-audit', '--no-fund', `oidc-provider@${VERSION}`, 'jose@6'], {
    cwd: scratch,
  });
  const url = `http://127.0.0.1:${await freePort()}`;
  const provider = await startProvider(`${url}/auth/callback`);
  await startGateway(url, provider.issuer);
  await run(url, provider.rotate);
} finally {
  for (const child of children) child.kill();
  rmSync(scratch, { recursive: true, force: true });
}

async function run(url: string, rotate: () => Promise<void>): Promise<void> {
  const asMaster = async (method: string, path: string, body?: object) =>
    await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  await asMaster('POST', '/v1/teams', { team_id: 'research' });
  const admin = new Browser();
  await check('a user of the group ops becomes an administrator', async () => {
    const page = await admin.signIn(`${url}/auth/sign-in?return_to=/v1/me`, 'root');
    equal(await page.json(), { user_id: 'root', role: 'admin', teams: [], scope: 'manage' });
    equal((await admin.send(`${url}/v1/users`)).status, 200);
  });
  await check('a change needs a page of the gateway', async () => {
    const create = (team: string, headers: Record<string, string>) =>
      admin.send(`${url}/v1/teams`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ team_id: team }),
      });
    equal((await create('a', {})).status, 403);
    equal((await create('b', { origin: 'https://evil.example' })).status, 403);
    equal((await create('c', { origin: url })).status, 200);
  });
  await check('after the provider has rotated its keys, another user signs in', async () => {
    await rotate();
    const page = await new Browser().signIn(`${url}/auth/sign-in?return_to=/v1/me`, 'ada');
    equal(await page.json(), {
      user_id: 'ada',
      role: 'member',
      teams: [{ team_id: 'research', role: 'admin' }],
      scope: 'manage',
    });
  });
  await check('gateway login, whoami and logout', async () => {
    const env = { XDG_CONFIG_HOME: scratch };
    const login = gateway(['login', '--url', url, '--no-browser'], env);
    const address = await new Promise<string>((resolve, reject) => {
      createInterface(login.stderr).on('line', (line) => {
        if (line.trim().startsWith('http')) resolve(line.trim());
      });
      login.catch(reject);
    });
    equal(
      await (await new Browser().signIn(address, 'ada')).text(),
      'You are signed in. You can close this page.\n',
    );
    const { stdout } = await login;
    equal(/^Signed in to http:\S+ as ada until \S+\.$/.test(stdout), true);
    const who = JSON.parse((await gateway(['whoami', '--json'], env)).stdout);
    equal([who.user_id, who.role, who.scope], ['ada', 'member', 'manage']);
    const { stdout: token } = await gateway(['whoami', '--token'], env);
    const key = await fetch(`${url}/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ team_id: 'research', key_name: 'laptop' }),
    });
    equal([key.status, ((await key.json()) as { user_id: string }).user_id], [200, 'ada']);
    equal((await gateway(['logout'], env)).stdout, `Signed out of ${url}.`);
    equal((await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status, 401);
    const after = await gateway(['whoami'], env, { reject: false });
    equal([after.exitCode, /not signed in/.test(after.stderr)], [1, true]);
  });
  await checkPages(check, url);
  await check('a blocked user is rejected', async () => {
    await asMaster('POST', '/v1/users', { user_id: 'eve', blocked: true });
    const page = await new Browser().signIn(`${url}/auth/sign-in`, 'eve');
    equal(
      [page.status, ((await page.json()) as { error: { code: string } }).error.code],
      [403, 'user_blocked'],
    );
  });
  await check('a sign-out ends the session', async () => {
    equal(
      (await admin.send(`${url}/auth/sign-out`, { method: 'POST', headers: { origin: url } })).status,
      204,
    );
    equal((await admin.send(`${url}/v1/me`)).status, 401);
  });
  console.log(`oidc-provider ${VERSION}: ${checks.length} checks`);
}

async function check(what: string, body: () => Promise<void>): Promise<void> {
  try {
    await body();
    checks.push(what);
    console.log(`ok      ${what}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAILED  ${what}: ${messageOf(error)}`);
  }
}

function equal(actual: unknown, expected: unknown): void {
  const [one, other] = [actual, expected].map((value) => JSON.stringify(value, withoutExpiry));
  if (one !== other) throw new Error(`found ${one}, expected ${other}`);
}

function withoutExpiry(name: string, value: unknown): unknown {
  return name === 'expires_at' ? undefined : value;
}

async function startProvider(redirectUri: string) {
  copyFileSync(join(import.meta.dirname, 'provider.mjs'), join(scratch, 'provider.mjs'));
  const options = JSON.stringify({
    module: 'oidc-provider',
    redirectUri,
    secret: SECRET,
    accounts: ACCOUNTS,
  });
  const child = execa(process.execPath, ['provider.mjs', options], { cwd: scratch, reject: false });
  children.push(child);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`The provider ended: ${(await child).stderr}`);
      // The provider prints hints about its settings.
      if (/^(http|rotated)/.test(value)) return value;
    }
  };
  return {
    issuer: await next(),
    rotate: async () => {
      child.stdin.write('rotate\n');
      await next();
    },
  };
}

async function startGateway(url: string, issuer: string): Promise<void> {
  const config = {
    port: Number(new URL(url).port),
    data_dir: scratch,
    master_key: MASTER_KEY,
    sign_in: {
      issuer,
      client_id: 'gateway',
      client_secret: SECRET,
      public_url: url,
      scopes: ['openid', 'profile'],
      create_users: true,
      groups: {
        ops: { role: 'admin' },
        staff: { team: 'research' },
        leads: { team: 'research', team_role: 'admin' },
      },
    },
  };
  writeFileSync(join(scratch, 'gateway.yml'), JSON.stringify(config), { mode: 0o600 });
  const child = gateway(['serve', '--config', 'gateway.yml'], {}, { reject: false });
  children.push(child);
  for (let tries = 0; tries < 1200; tries += 1) {
    const ready = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
    if (child.exitCode !== null) throw new Error(`The gateway ended: ${(await child).stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The gateway is not ready after 60 s.');
}

function gateway(args: readonly string[], env: Record<string, string>, options: { reject?: boolean } = {}) {
  return execa(process.execPath, [join(ROOT, 'runtime/targets/gateway/main.ts'), ...args], {
    cwd: scratch,
    env,
    ...options,
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
