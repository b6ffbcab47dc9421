import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { ROOT } from '../helpers/paths.ts';
import { checkApi } from './api-checks.ts';
import { checkPages } from './browser-checks.ts';
import { checkActing, checkProofs, checkUsers } from './provider-checks.ts';
import { checkKeycloak } from './keycloak.ts';
import { freePort, type Manager, processesIn, until } from './processes.ts';

// `npm run test:sign-in`: signs in with third-party authorization servers on loopback, in both directions. One manager is a protected
// resource of `oidc-provider`; another one signs in to it, and to the example server of the MCP SDK. The inspector calls the first one.
// Other managers test separate sign-ins for each user, token exchange and cross-app access, also through the user interface in Chromium and Firefox, clients with a key, tokens
// that are bound to a key, and opaque tokens, and users of an API with an OpenAPI document. Then the conformance suite tests the client. With KEYCLOAK_HOME, the first manager also
// accepts tokens from Keycloak. Prints a table. Requires the npm registry.

const OIDC_PROVIDER = 'oidc-provider@9.13.3';
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';
const HERE = import.meta.dirname;

const folder = mkdtempSync(join(tmpdir(), 'encoderfile-sign-in-'));
const processes = processesIn(folder);
let failures = 0;

async function check(what: string, work: () => Promise<void>): Promise<void> {
  const problem = await work().then(
    () => undefined,
    (error: unknown) => String(error),
  );
  if (problem !== undefined) failures += 1;
  console.log(
    `${problem === undefined ? 'ok  ' : 'FAIL'}  ${what}${problem === undefined ? '' : `\n      ${problem}`}`,
  );
}

async function callTool(
  manager: Manager,
  server: string,
  tool: string,
  args: object,
  key?: string,
): Promise<string> {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(`${manager.url}/api/v1/servers/${server}/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization },
    body: JSON.stringify(args),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return text;
}

async function hasSignIn(manager: Manager, server: string, state: string): Promise<void> {
  await until(`${server} is ${state}`, async () => {
    const health = (await (await fetch(`${manager.url}/api/v1/health/servers/${server}`)).json()) as {
      signIn?: string;
    };
    return health.signIn === state;
  });
}

const echo = { message: 'hello' };
const toml = (value: string): string => JSON.stringify(value);

async function run(): Promise<void> {
  const tools = process.env['SIGN_IN_TOOLS'] ?? (await installTools());
  const ports = await Promise.all(Array.from({ length: 13 }, () => freePort()));
  const [
    oidcPort,
    resourcePort,
    clientPort,
    sdkPort,
    sdkAuthPort,
    opaquePort,
    dpopPort,
    usersPort,
    robotsPort,
    pagesPort,
    actingPort,
    api,
    apiUsers,
  ] = ports as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const issuer = `http://localhost:${oidcPort}`;
  const resource = `http://127.0.0.1:${resourcePort}`;
  const opaqueResource = `http://127.0.0.1:${opaquePort}`;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicJwk = JSON.stringify({ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' });
  await processes.start([
    join(HERE, 'oidc-provider.mjs'),
    tools,
    String(oidcPort),
    publicJwk,
    opaqueResource,
  ]);
  await processes.start([join(HERE, 'dpop-server.mjs'), String(dpopPort), issuer]);
  const example = join(
    ROOT,
    'node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js',
  );
  await processes.start([example, '--oauth', '--oauth-strict'], {
    MCP_PORT: String(sdkPort),
    MCP_AUTH_PORT: String(sdkAuthPort),
  });
  const echoServer = `[[servers]]\nname = "echo"\ncommand = ${toml(process.execPath)}\nargs = [${toml(join(ROOT, 'fixtures/mcp-servers/echo.mjs'))}]\ntools = ["*"]\n`;
  const oauth = (more: string): string =>
    `[daemon.api.oauth]\n${more}[daemon.api.oauth.scopes]\nuse = ["*"]\n`;
  const protectedManager = await processes.startManager(
    'protected',
    resourcePort,
    echoServer + oauth(`issuer = ${toml(issuer)}\nresource = ${toml(resource)}\n`),
    { flags: ['--audit-log', join(folder, 'audit.jsonl'), '--audit-arguments', 'redacted'] },
  );
  const remote = (name: string, url: string): string =>
    `[[servers]]\nname = "${name}"\nurl = ${toml(url)}\ntools = ["*"]\n`;
  const client = await processes.startManager(
    'client',
    clientPort,
    remote('person', `${resource}/mcp/echo`) +
      remote('sdk', `http://localhost:${sdkPort}/mcp`) +
      `${remote('robot', `${resource}/mcp`)}[servers.oauth]\nclient_id = "robot"\nclient_secret = "secret-of-the-robot"\n`,
  );

  await check('oidc-provider: a server without a sign-in is reported', () =>
    hasSignIn(client, 'person', 'required'),
  );
  await check(
    'oidc-provider: login with discovery, dynamic registration, PKCE, resource and iss',
    async () => {
      await client.run(['login', 'person']);
      await hasSignIn(client, 'person', 'signed-in');
      await until('a call works', async () => {
        await callTool(client, 'person', 'echo', echo);
        return true;
      });
    },
  );
  await check('oidc-provider: the access token expires and is refreshed with rotation, twice', async () => {
    for (let times = 0; times < 2; times += 1) {
      await sleep(15_000);
      await Promise.all([1, 2, 3].map(() => callTool(client, 'person', 'echo', echo)));
    }
  });
  await check('oidc-provider: client credentials', async () => {
    await callTool(client, 'robot', 'echo__echo', echo);
  });
  const provider = {
    processes,
    check,
    callTool,
    remote,
    folder,
    resource,
    opaqueResource,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    dpopServer: `http://127.0.0.1:${dpopPort}/mcp`,
    protect: (more: string) => echoServer + oauth(`issuer = ${toml(issuer)}\n${more}`),
    robotToken: (target: string) => robotToken(issuer, target),
    issuer,
    ports: { users: usersPort, pages: pagesPort, robots: robotsPort, opaque: opaquePort, acting: actingPort },
  };
  await checkUsers(provider);
  await checkPages(provider);
  await checkProofs(provider);
  await checkActing(provider);
  await checkApi({ ...provider, ports: { api, apiUsers } });
  await check('oidc-provider: logout revokes, and calls fail with the way out', async () => {
    await client.run(['logout', 'person']);
    const failure = await callTool(client, 'person', 'echo', echo).then(() => '', String);
    if (!failure.includes('mcp-manager login person')) throw new Error(`no way out in: ${failure}`);
  });
  await check('MCP SDK example server: login with a pasted address', async () => {
    const login = client.run(['login', 'sdk', '--no-browser']);
    let printed = '';
    login.stderr?.on('data', (text) => (printed += String(text)));
    const addressIn = (): string | undefined => /^ +(http\S+)/m.exec(printed)?.[1];
    await until('the address', () => Promise.resolve(addressIn() !== undefined));
    const address = addressIn();
    const { stdout } = await execa(process.execPath, [join(HERE, 'browser.mjs'), '--stop', address ?? '']);
    login.stdin?.write(`${stdout}\n`);
    await login;
    await until('a call works', async () => {
      await callTool(client, 'sdk', 'greet', { name: 'Ann' });
      return true;
    });
  });
  await check('MCP inspector: lists tools with an access token, and fails without', async () => {
    const token = await robotToken(issuer, `${resource}/mcp`);
    const args = [
      join(tools, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
      '--cli',
    ];
    const target = [`${protectedManager.url}/mcp`, '--transport', 'http', '--method', 'tools/list'];
    const { stdout } = await execa(process.execPath, [
      ...args,
      ...target,
      '--header',
      `Authorization: Bearer ${token}`,
    ]);
    if (!stdout.includes('echo__echo')) throw new Error(stdout);
    const { exitCode } = await execa(process.execPath, [...args, ...target], { reject: false });
    if (exitCode === 0) throw new Error('no token was required');
  });
  await checkKeycloak({
    processes,
    check,
    callTool,
    remote,
    protect: (settings) => echoServer + oauth(settings),
  });
  await check('MCP conformance: the suite auth', async () => {
    const command = `${process.execPath} ${join(HERE, 'conformance-client.ts')}`;
    const suites = [['--suite', 'auth'], ...EXTRA_SCENARIOS.map((scenario) => ['--scenario', scenario])];
    for (const suite of suites) {
      const options = { preferLocal: true, localDir: ROOT, cwd: folder, all: true } as const;
      const { all } = await execa('conformance', ['client', ...suite, '--command', command], options);
      const total = /^(?:Total|Passed): .*$/m.exec(all)?.[0] ?? 'no total';
      console.log(`      ${suite.at(-1)}: ${total}`);
    }
  });
}

/** Installs the packages that only this script needs. SIGN_IN_TOOLS is a folder that already contains them. */
async function installTools(): Promise<string> {
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  writeFileSync(join(tools, 'package.json'), '{"private": true}');
  await execa('npm', ['install', '--no-audit', '--no-fund', OIDC_PROVIDER, INSPECTOR], { cwd: tools });
  return tools;
}

const EXTRA_SCENARIOS = [
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
  'auth/client-credentials-basic',
  'auth/client-credentials-jwt',
];

async function robotToken(issuer: string, resource: string): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('robot:secret-of-the-robot').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope: 'use' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

try {
  await run();
} finally {
  await processes.end();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
