import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addKey, type KeyRecord, keyFileText, readKeyFile } from '#manager/access/key-file.ts';
import { runProgram } from '#serve/cli/run.ts';
import { managerProgram } from '#manager/program.ts';
import { newKey } from '#manager/access/new-key.ts';
import { type ManagerWithFiles, serverToml, startWithFiles } from '../http/start-with-files.ts';
import { openSession, post } from '../mcp/raw.ts';
import { sendStateless } from '../mcp/stateless-request.ts';
import { type ProtectedServer, startProtectedServer } from '../sign-in/protected-server.ts';

/** What a key's owner has open or stored, and whether it is gone. */
interface Belongings {
  readonly sessionEnded: () => boolean;
  readonly sseEnded: () => boolean;
  readonly listenEnded: () => boolean;
  readonly logEnded: () => boolean;
  readonly processEnded: () => boolean;
  readonly callEnded: () => boolean;
  readonly secretsGone: () => boolean;
  readonly signInGone: () => boolean;
  readonly tokensRevoked: () => boolean;
}
const OPEN = ['sessionEnded', 'sseEnded', 'listenEnded', 'logEnded', 'processEnded', 'callEnded'] as const;
const STORED = ['secretsGone', 'signInGone', 'tokensRevoked'] as const;
const stateOf = (belongings: Belongings): Record<string, boolean> =>
  Object.fromEntries([...OPEN, ...STORED].map((name) => [name, belongings[name]()]));
const all = (names: readonly string[], value: boolean): Record<string, boolean> =>
  Object.fromEntries(names.map((name) => [name, value]));

const REDIRECT = 'http://127.0.0.1:9/callback';
let manager: ManagerWithFiles;
let server: ProtectedServer;

const remoteToml = (name: string, url: string): string =>
  `\n[[servers]]\nname = "${name}"\nurl = "${url}"\ntools = ["*"]\n[servers.oauth]\nsign_in = "per_user"\n`;

const closers: (() => void)[] = [];
beforeAll(async () => {
  server = await startProtectedServer((close) => closers.push(close));
  const echo = serverToml('echo', 'echo', { env: { TOKEN: '${user.secret.TOKEN}' } });
  manager = await startWithFiles(echo + remoteToml('far', server.url));
});
afterAll(async () => {
  await manager.close();
  for (const close of closers) close();
});

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const filesOf = (folder: string): readonly string[] =>
  existsSync(manager.path(folder))
    ? readdirSync(manager.path(folder)).filter((name) => name.endsWith('.json'))
    : [];

/** Reads a stream to its end. Returns whether it has ended. */
function watchEnd(body: ReadableStream<Uint8Array> | null): () => boolean {
  let ended = false;
  void (async () => {
    const reader = body?.getReader();
    try {
      for (let isDone = reader === undefined; !isDone;) isDone = (await reader?.read())?.done !== false;
    } catch {
      // A connection that breaks has ended, too.
    }
    ended = true;
  })();
  return () => ended;
}

/** Opens and stores everything that a key's owner can have. */
async function belongingsOf(key: string): Promise<Belongings> {
  const authorization = `Bearer ${key}`;
  const send = (method: string, path: string, body?: object) => manager.send(method, path, body, key);
  expect((await send('PUT', '/api/v1/secrets/TOKEN', { value: 'a secret' })).status).toBe(200);
  const secretFiles = filesOf('user-secrets');
  const signInPath = (name: string) => `/api/v1/servers/${name}/sign-in`;
  const start = async (name: string): Promise<URL> =>
    new URL((await send('POST', signInPath(name), { redirectUri: REDIRECT })).body.authorizationUrl);
  const before = filesOf('sign-ins');
  const query = await server.signIn(await start('far'), 'ann');
  expect((await send('POST', `${signInPath('far')}/complete`, { query })).status).toBe(200);
  const own = filesOf('sign-ins').filter((name) => !before.includes(name));
  expect(own).toHaveLength(1);
  expect((await send('POST', '/api/v1/servers/far/tools/hello', {})).body).toBe('hello ann');
  const revokedBefore = server.revoked.length;

  const headers = { authorization };
  const stream = { ...headers, accept: 'text/event-stream' };
  const session = await openSession(manager.url, '/mcp', headers);
  const call = async (name: string, id: number) =>
    await post(manager.url, '/mcp', {
      headers: session,
      body: { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } },
    });
  const { result } = (await (await call('echo__process', 2)).json()) as {
    result: { content: [{ text: string }] };
  };
  const { pid } = JSON.parse(result.content[0].text) as { pid: number };
  const running = await call('echo__sleep-until-cancelled', 3);
  const general = await fetch(`${manager.url}/mcp`, { headers: { ...stream, ...session } });
  const sse = await fetch(`${manager.url}/sse`, { headers: stream });
  const listen = await sendStateless(manager.url, 'subscriptions/listen', {
    headers,
    params: { notifications: { toolsListChanged: true } },
  });
  const logs = await fetch(`${manager.url}/api/v1/admin/servers/echo/logs?follow=true`, { headers });
  for (const one of [running, general, sse, listen]) {
    expect([one.status, one.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
    ]);
  }
  expect(logs.status).toBe(200);
  const isGone = (folder: string, files: readonly string[]) => () =>
    files.every((name) => !filesOf(folder).includes(name));
  return {
    sessionEnded: watchEnd(general.body),
    sseEnded: watchEnd(sse.body),
    listenEnded: watchEnd(listen.body),
    logEnded: watchEnd(logs.body),
    processEnded: () => !isRunning(pid),
    callEnded: watchEnd(running.body),
    secretsGone: isGone('user-secrets', secretFiles),
    signInGone: isGone('sign-ins', own),
    tokensRevoked: () => server.revoked.length === revokedBefore + 2,
  };
}

async function keyOf(name: string, more: Partial<KeyRecord> = {}): Promise<string> {
  const now = Date.now();
  const { key, record } = newKey({
    name,
    servers: [],
    tools: [],
    readOnly: false,
    admin: true,
    created: new Date(now).toISOString(),
    ...more,
  });
  await addKey(manager.path('keys.jsonl'), record, now);
  await expect
    .poll(async () => (await manager.get('/api/v1/caller', key)).status, { timeout: 60_000 })
    .toBe(200);
  return key;
}

const editKeys = (change: (records: readonly KeyRecord[]) => readonly KeyRecord[]): void =>
  writeFileSync(
    manager.path('keys.jsonl'),
    keyFileText(change(readKeyFile(manager.path('keys.jsonl')) ?? [])),
    {
      mode: 0o600,
    },
  );

const REVOCATIONS: Readonly<Record<string, (name: string) => Promise<void> | void>> = {
  'a request to the API': async (name) => {
    expect((await manager.send('DELETE', `/api/v1/admin/keys/${name}`)).status).toBe(200);
  },
  'the command': async (name) => {
    const flags = [
      '--config-file',
      manager.path('.mcpd.toml'),
      '--runtime-file',
      manager.path('secrets.toml'),
    ];
    let out = '';
    const output = { out: (text: string) => void (out += text), err: (text: string) => void (out += text) };
    const code = await runProgram(managerProgram, ['keys', 'revoke', name, ...flags], output);
    expect([code, out]).toEqual([0, expect.stringMatching(/^Revoked the-command \([\da-f]{8}\)\.\n$/)]);
  },
  'removal of its line': (name) => editKeys((records) => records.filter((one) => one.name !== name)),
  'another key under its name': (name) =>
    editKeys((records) => records.map((one) => (one.name === name ? { ...one, hash: 'f'.repeat(64) } : one))),
};

test.each(Object.keys(REVOCATIONS))(
  '%s ends all that the owner of the key has open and stored',
  async (way) => {
    const name = way.replaceAll(' ', '-');
    const key = await keyOf(name);
    const belongings = await belongingsOf(key);
    expect(stateOf(belongings)).toEqual(all([...OPEN, ...STORED], false));
    await REVOCATIONS[way]?.(name);
    await expect
      .poll(() => stateOf(belongings), { timeout: 60_000 })
      .toEqual(all([...OPEN, ...STORED], true));
    expect((await manager.get('/api/v1/caller', key)).status).toBe(401);
  },
  40_000,
);

test('an expired key ends what is open; what is stored remains for a longer key, as an administrator can extend it', async () => {
  const key = await keyOf('expiring');
  const belongings = await belongingsOf(key);
  editKeys((records) =>
    records.map((one) => (one.name === 'expiring' ? { ...one, expires: new Date().toISOString() } : one)),
  );
  const expected = { ...all(OPEN, true), ...all(STORED, false) };
  await expect.poll(() => stateOf(belongings), { timeout: 60_000 }).toEqual(expected);
}, 40_000);
