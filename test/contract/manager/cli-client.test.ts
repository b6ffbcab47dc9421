import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect } from 'vitest';
import { runProcess } from '../../helpers/run-process.ts';
import { verifiesOnce } from '../verifies.ts';
import { inProcessManager } from './arms.ts';
import type { CommandArm } from '../command-arms.ts';
import { EXECUTABLE_COMMANDS } from './command-arms.ts';
import { ECHO, serversToml } from './config.ts';
import type { Api } from '../shared-services.ts';
import { shareManagers, useManagers } from './shared-managers.ts';
import { verifiesCommand } from './verifies.ts';
import { builtProgram } from '../../helpers/built.ts';

const share = shareManagers();
const use = useManagers();
const BAD = serversToml({ name: 'bad', run: ['exits-at-start.mjs'] });

/** Client commands use one manager for all tests, because they do not test the manager itself. */
async function connect(arm: CommandArm, files = { config: ECHO }, start: typeof share = share) {
  const api = await start(inProcessManager, files);
  await serving(api);
  const to = ['--url', api.url, '--config-file', join(api.folder, '.mcpd.toml')];
  return { api, to, run: (command: string, ...args: string[]) => arm.run([command, ...to, ...args]) };
}

/** Resolves once its server has responded. */
const serving = async ({ get }: Api): Promise<void> => {
  await expect.poll(async () => (await get('/api/v1/health/servers/echo')).body.status).toBe('ok');
};

verifiesCommand('mcli:status', async (arm) => {
  const { run } = await connect(arm);
  const table = await run('status');
  expect(table.stdout).toMatch(/^SERVER +STATUS +PHASE .*\necho +ok +running /);
  expect(table.stdout).not.toContain('\u001B');
  const json = JSON.parse((await run('status', '--json')).stdout);
  expect(json.servers).toMatchObject([{ name: 'echo', status: 'ok', pid: expect.any(Number) }]);
});

verifiesCommand('mcli:tools', async (arm) => {
  const { run } = await connect(arm);
  for (const args of [['echo'], []])
    expect((await run('tools', ...args)).stdout).toMatch(
      /^SERVER +TOOL +DESCRIPTION\n(.*\n)*echo +add +Adds two/,
    );
  const full = await run('tools', 'echo', '--detail', 'full');
  expect(full.stdout).toContain('    a (number, required)\n');
  const names = JSON.parse((await run('tools', 'echo', '--detail', 'minimal', '--json')).stdout);
  expect(names[0]).toEqual({ server: 'echo', name: 'echo' });
  expect((await run('tools', '--search', 'adds numbers', '--limit', '1')).stdout).toMatch(/\necho +add /);
});

verifiesCommand('mcli:call', async (arm) => {
  const { run } = await connect(arm);
  for (const args of [['{"a": 1, "b": 2}'], ['a=1', 'b=2']])
    expect(await run('call', 'echo', 'add', ...args)).toEqual({ exitCode: 0, stdout: '3\n', stderr: '' });
  const text = 'wörd 😀 $HOME "q"';
  expect((await run('call', 'ECHO', 'echo', `message=${text}`)).stdout).toBe(`${text}\n`);
  expect((await run('call', 'echo', 'echo', '--', 'message=-x')).stdout).toBe('-x\n');
  const whole = await run('call', 'echo', 'structured', '--json');
  expect(JSON.parse(whole.stdout)).toHaveProperty('structuredContent');
  for (const [tool, said] of [
    ['is-error', /./],
    ['no-such-tool', /^Error: tool not found: echo\/no-such-tool/],
  ] as const) {
    const failed = await run('call', 'echo', tool);
    expect([failed.exitCode, failed.stdout, failed.stderr]).toEqual([1, '', expect.stringMatching(said)]);
  }
  for (const args of [['{"a":'], ['[1]'], ['a=1', 'b']])
    expect((await run('call', 'echo', 'add', ...args)).exitCode).toBe(2);
});

verifiesCommand('mcli:findings', async (arm) => {
  const poisoned = {
    name: 'echo',
    run: ['poisoned.mjs'],
    keys: 'scan = "quarantine"\nscan_results = "warn"',
  } as const;
  const { run } = await connect(arm, { config: serversToml(poisoned) }, use);
  expect((await run('tools', 'echo')).stdout).not.toContain('poisoned');
  const held = await run('call', 'echo', 'poisoned');
  expect([held.exitCode, held.stderr]).toEqual([
    1,
    expect.stringMatching(/^Error: tool held: echo\/poisoned: /),
  ]);
  const { stdout } = await run('findings', 'echo');
  expect(stdout).toMatch(/^SERVER +KIND +NAME +PLACE +RULE +OUTCOME +TEXT\n/);
  expect(stdout).toMatch(
    /echo +tool +poisoned +\/inputSchema\/properties\/a\/description +ignore-instructions +held +Ignore all/,
  );
  const doctor = await run('doctor');
  expect(doctor.exitCode).toBe(1);
  expect(doctor.stdout).toContain(
    'server echo: possible injection in the tool poisoned: hide-from-user (held)',
  );
  expect(await run('release', 'echo', 'poisoned')).toEqual({
    exitCode: 0,
    stdout: 'Released echo/poisoned. Another definition with a finding is held again.\n',
    stderr: '',
  });
  expect((await run('call', 'echo', 'poisoned')).stdout).toBe('Called.\n');
  await run('call', 'echo', 'answer');
  const findings = JSON.parse((await run('findings', '--json')).stdout) as object[];
  expect(findings).toContainEqual(
    expect.objectContaining({ kind: 'tool', name: 'poisoned', outcome: 'released' }),
  );
  expect(findings).toContainEqual(
    expect.objectContaining({ kind: 'result', name: 'answer', outcome: 'reported' }),
  );
  const again = await run('release', 'echo', 'poisoned');
  expect([again.exitCode, again.stderr]).toEqual([1, 'Error: no tool is held: echo/poisoned\n']);
});

verifiesOnce('mcli:call:stdin', async () => {
  const { to } = await connect(EXECUTABLE_COMMANDS);
  for (const source of [['-'], ['--args-file', '-']]) {
    const input = '{"a": 20, "b": 22}';
    const answer = await runProcess(builtProgram('manager'), ['call', ...to, 'echo', 'add', ...source], {
      input,
    });
    expect(answer).toEqual({ exitCode: 0, stdout: '42', stderr: '' });
  }
});

verifiesCommand('mcli:prompts', async (arm) => {
  const { run } = await connect(arm);
  expect((await run('prompts', 'echo')).stdout).toMatch(
    /^PROMPT +ARGUMENTS +DESCRIPTION\ngreet +name +Greets/,
  );
  expect((await run('prompt', 'echo', 'greet', 'name=Ada')).stdout).toBe('user: greet {"name":"Ada"}\n');
  expect(await run('prompt', 'echo', 'nope')).toMatchObject({ exitCode: 1, stdout: '' });
});

verifiesCommand('mcli:resources', async (arm) => {
  const { run } = await connect(arm);
  expect((await run('resources', 'echo')).stdout).toMatch(/^URI +NAME +TYPE .*\nmemo:\/\/one /);
  expect((await run('read', 'echo', 'memo://one')).stdout).toBe('The first memo.\n');
  expect(await run('read', 'echo', 'memo://nope')).toMatchObject({ exitCode: 1, stdout: '' });
});

verifiesCommand('mcli:logs', async (arm) => {
  const { run } = await connect(arm);
  for (const text of ['one', 'two']) await run('call', 'echo', 'log', `text=${text}`);
  expect((await run('logs', 'echo', '-n', '2')).stdout).toMatch(
    /^\S+Z {2}server {3}one\n\S+Z {2}server {3}two\n$/,
  );
  const last = JSON.parse((await run('logs', 'echo', '-n', '1', '--json')).stdout);
  expect(last).toMatchObject({ text: 'two' });
});

verifiesOnce('mcli:logs:follow', async () => {
  const { to, api } = await connect(EXECUTABLE_COMMANDS);
  const following = execa(builtProgram('manager'), ['logs', ...to, 'echo', '-f', '-n', '1'], {
    reject: false,
  });
  const lines = following.iterable()[Symbol.asyncIterator]();
  await lines.next();
  const next = lines.next();
  await api.post('/api/v1/servers/echo/tools/log', { text: 'heard' });
  expect((await next).value).toMatch(/server {3}heard$/);
  following.kill('SIGINT');
  expect((await following).exitCode).toBe(0);
});

verifiesCommand('mcli:restart', async (arm) => {
  const { run, api } = await connect(arm, { config: ECHO }, use);
  const pid = async (): Promise<number> => (await api.get('/api/v1/admin/status')).body.servers[0].pid;
  const before = await pid();
  const { exitCode, stdout } = await run('restart', 'echo');
  expect([exitCode, stdout]).toEqual([0, `echo is running (PID ${await pid()}).\n`]);
  expect(await pid()).not.toBe(before);
  expect(await run('restart', 'nope')).toMatchObject({ exitCode: 1 });
});

verifiesCommand('mcli:reload', async (arm) => {
  const { run, api } = await connect(arm, { config: ECHO }, use);
  expect((await run('reload')).stdout).toBe('No changes.\n');
  const file = join(api.folder, '.mcpd.toml');
  writeFileSync(file, 'servers = [\n');
  const broken = await run('reload');
  expect([broken.exitCode, broken.stderr]).toEqual([1, expect.stringMatching(/^Error: .*invalid TOML/)]);
  expect((await run('call', 'echo', 'add', 'a=1', 'b=2')).stdout).toBe('3\n');
});

verifiesCommand('mcli:doctor', async (arm) => {
  const { run } = await connect(arm);
  const well = await run('doctor');
  expect([well.exitCode, well.stdout]).toEqual([
    0,
    expect.stringMatching(/^ok +configuration: 1 server in /),
  ]);
  expect(well.stdout).toMatch(/^ok +server echo: is healthy$/m);

  const { run: runBad, api } = await connect(arm, { config: `${ECHO}${BAD}` });
  appendFileSync(join(api.folder, 'secrets.toml'), '');
  await expect
    .poll(async () => (await api.get('/api/v1/health/servers/bad')).body.status)
    .toBe('unreachable');
  const ill = await runBad('doctor');
  expect(ill.exitCode).toBe(1);
  expect(ill.stdout).toMatch(
    /^problem +server bad: .*no license file found\n(?: .*\n)*? +See `mcp-manager logs bad`/m,
  );
});
