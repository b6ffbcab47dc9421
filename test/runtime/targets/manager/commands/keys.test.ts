import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '#serve/cli/run.ts';
import { readKeyFile } from '#manager/access/key-file.ts';
import { createManagerAccess } from '#manager/access/manager-access.ts';
import { CLIENT_KEY_COMMANDS } from '#manager/commands/key-commands.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { bearer } from '../access/key-of.ts';

const folder = useTempFolder();
const PROGRAM = { name: 'mcp-manager', title: 'mcp-manager', commands: CLIENT_KEY_COMMANDS };

const keysFile = (): string => join(folder(), 'new', 'keys.jsonl');

async function keys(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const output = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const runtimeFile = join(folder(), 'new', 'secrets.toml');
  const code = await runProgram(PROGRAM, ['keys', ...args, '--runtime-file', runtimeFile], output);
  return { code, out, err };
}

test('a new key is shown once, is accepted by the manager, and is not stored in plain text', async () => {
  const { code, out, err } = await keys(
    'create',
    '--name',
    'ci',
    '--server',
    'time',
    '--server',
    'git*',
    '--tool',
    'git/*',
  );
  expect(code).toBe(0);
  expect(out).toMatch(/^mcpm_[\w-]{43}\n$/);
  expect(err).toBe(`Added the key to ${keysFile()}. It is shown only once:\n`);
  const key = out.trim();
  const text = readFileSync(keysFile(), 'utf8');
  expect(text).not.toContain(key.slice(5));
  expect(statSync(keysFile()).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder(), 'new')).mode & 0o777).toBe(0o700);

  const access = createManagerAccess({ keys: () => readKeyFile(keysFile()) });
  const caller = access.check(bearer(key));
  expect(caller).toMatchObject({ name: 'ci', admin: false, readOnly: false });
  expect([caller.canUse('time', 'now'), caller.canUse('github'), caller.canUse('memory')]).toEqual([
    true,
    true,
    false,
  ]);
});

test('the MCP mode of a key is stored and listed, and an unknown mode is rejected', async () => {
  await keys('create', '--name', 'scripts', '--mcp-mode', 'code');
  expect(readKeyFile(keysFile())).toMatchObject([{ name: 'scripts', mcpMode: 'code' }]);
  expect((await keys('list')).out).toContain('all servers, mode code');
  expect(await keys('create', '--name', 'x', '--mcp-mode', 'lua')).toMatchObject({
    code: 2,
    err: expect.stringContaining('lua'),
  });
  appendFileSync(keysFile(), readFileSync(keysFile(), 'utf8').replace('"code"', '"lua"'));
  expect(() => readKeyFile(keysFile())).toThrow(':2: invalid API key: mcpMode must be');
});

test('every option is stored in the key file', async () => {
  const before = Date.now();
  const reads = ['--prompt', 'git/*', '--resource', 'docs/file:///public/*'];
  const scope = [...reads, '--read-only', '--admin', '--rate', '100/m', '--expires', '30d'];
  const { out } = await keys('create', '--name', 'all', ...scope, '--json');
  const [record] = readKeyFile(keysFile()) ?? [];
  expect(record).toMatchObject({
    name: 'all',
    servers: [],
    tools: [],
    prompts: ['git/*'],
    resources: ['docs/file:///public/*'],
    readOnly: true,
    admin: true,
    rate: '100/m',
  });
  const days = (Date.parse(record?.expires ?? '') - before) / 86_400_000;
  expect(days).toBeGreaterThanOrEqual(30);
  expect(days).toBeLessThan(30.01);
  const { hash: _hash, ...shown } = record ?? { hash: '' };
  expect(JSON.parse(out)).toEqual({ key: expect.stringMatching(/^mcpm_/), ...shown });
});

test('lists everything except the secret keys', async () => {
  const { err } = await keys('list');
  expect(err).toBe(`No keys in ${keysFile()}. Calls do not require a key.\n`);
  await keys('create', '--name', 'ci', '--server', 'time', '--admin', '--rate', '5/s');
  const { out } = await keys('list');
  const [record] = readKeyFile(keysFile()) ?? [];
  expect(out.split('\n')).toEqual([
    'ID        NAME  STATE   ACCESS       RATE  EXPIRES',
    `${record?.id}  ci    active  time, admin  5/s   -`,
    '',
  ]);
  const { out: json } = await keys('list', '--json');
  expect(JSON.parse(json)).toEqual([expect.objectContaining({ name: 'ci', state: 'active' })]);
  expect(out + json).not.toContain(record?.hash);
});

test('a revoked key stays in the file, and its name can be reused', async () => {
  await keys('create', '--name', 'ci');
  expect((await keys('create', '--name', 'ci')).err).toBe(
    'Error: A key named "ci" already exists. Revoke it first, or choose another name.\n',
  );
  // A manually edited file can lack its final line break.
  appendFileSync(keysFile(), '   ');
  const { code, out } = await keys('revoke', 'ci');
  const [record] = readKeyFile(keysFile()) ?? [];
  expect([code, out]).toEqual([0, `Revoked ci (${record?.id}).\n`]);
  expect(record?.revoked).toMatch(/Z$/);
  expect(statSync(keysFile()).mode & 0o777).toBe(0o600);
  await keys('create', '--name', 'ci');
  const { out: list } = await keys('list');
  expect(list).toMatch(/ci +revoked[^]*ci +active/);
  const [, second] = readKeyFile(keysFile()) ?? [];
  expect((await keys('revoke', second?.id ?? '')).code).toBe(0);
});

test.each<[args: string[], code: number, message: string]>([
  [['create'], 2, 'Missing option: --name <name>.'],
  [['create', '--name', ' '], 2, 'Missing option: --name <name>.'],
  [
    ['create', '--name', 'x', '--rate', 'often'],
    2,
    '--rate: "often" is not a number, a slash and a unit (s, m, h or d), e.g. 100/m.',
  ],
  [['create', '--name', 'x', '--rate', '0/m'], 2, '--rate: "0/m" is not a number'],
  [
    ['create', '--name', 'x', '--expires', 'soon'],
    2,
    '--expires: "soon" is not a number with a unit s, m, h, d or w, e.g. 30d',
  ],
  [['create', '--name', 'x', '--expires', '2001-01-01'], 2, '--expires: "2001-01-01" is in the past.'],
  [['create', '--name', 'x', '--server', ' '], 2, '--server must not be empty. Use * to allow all.'],
  [['revoke'], 2, 'Missing argument: <name|id>.'],
  [['revoke', 'nobody'], 1, 'contains no active key "nobody"'],
])('the command %j is rejected', async (args, code, message) => {
  const answer = await keys(...args);
  expect([answer.code, answer.err, answer.out]).toEqual([code, expect.stringContaining(message), '']);
  expect(existsSync(keysFile())).toBe(false);
});
