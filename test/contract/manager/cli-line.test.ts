import { once } from 'node:events';
import { expect } from 'vitest';
import { managerProgram } from '#manager/program.ts';
import { commandWords } from '../command-words.ts';
import { startExecutable } from '../../helpers/start-executable.ts';
import { verifiesOnce } from '../verifies.ts';
import { EXECUTABLE_COMMANDS } from './command-arms.ts';
import { useCommandFolder } from './command-folder.ts';
import { verifiesCommand } from './verifies.ts';
import { builtProgram } from '../../helpers/built.ts';

const folderOf = useCommandFolder();

verifiesCommand('mcli:search', async (arm) => {
  const { run } = folderOf(arm);
  expect((await run('search', 'time')).stdout).toMatch(/^ID +RUNTIMES +DESCRIPTION\n(.*\n)*time +uvx /);
  const found = JSON.parse(
    (await run('search', '--runtime', 'npx', '--official', '--format', 'json')).stdout,
  );
  expect(found.length).toBeGreaterThan(1);
  expect(found[0]).toMatchObject({ id: expect.any(String), installations: expect.any(Array) });
  const none = await run('search', 'no-such-server');
  expect([none.exitCode, none.stderr]).toEqual([0, expect.stringContaining('No matches.')]);
});

verifiesCommand('mcli:completion', async (arm) => {
  const { run } = folderOf(arm);
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { exitCode, stdout } = await run('completion', shell);
    expect(exitCode).toBe(0);
    for (const part of ['config volumes clear', 'keys revoke', 'api-key']) expect(stdout).toContain(part);
  }
  expect(await run('completion', 'csh')).toMatchObject({ exitCode: 2 });
});

verifiesCommand('mcli:help', async (arm) => {
  const known = [[], ...commandWords(managerProgram.commands)];
  expect(known.length).toBeGreaterThan(60);
  // For commands with more words, the executable reports the same as the program in this process.
  const all = arm === EXECUTABLE_COMMANDS ? known.filter(({ length }) => length < 2) : known;
  const asked = await Promise.all(all.map((words) => arm.run([...words, '--help'])));
  for (const [index, answer] of asked.entries()) {
    const usage = `Usage: ${['mcp-manager', ...(all[index] ?? [])].join(' ')}`;
    expect(answer).toEqual({ exitCode: 0, stdout: expect.stringContaining(usage), stderr: '' });
  }
});

verifiesCommand('mcli:unknown', async (arm) => {
  const { run } = folderOf(arm);
  for (const [args, meant] of [
    [['lst'], 'Did you mean `mcp-manager list`?'],
    [['config', 'tols', 'set'], 'Did you mean `mcp-manager config tools`?'],
    [['keys', 'revok'], 'Did you mean `mcp-manager keys revoke`?'],
    [['list', '--formt', 'json'], 'Did you mean --format?'],
    [['call', 'a', 'b', '--api-kye', 'x'], 'Did you mean --api-key?'],
    [['list', '--format', 'xml'], 'one of text, json, yaml'],
  ] as const) {
    const { exitCode, stdout, stderr } = await run(...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Error: .*\nSee `mcp-manager.* --help`\.\n$/);
    expect(stderr).toContain(meant);
  }
});

verifiesOnce('mcli:reader-gone', async () => {
  const { child, ended, stderr } = startExecutable(builtProgram('manager'), ['completion', 'bash']);
  child.stdout?.destroy();
  await once(child, 'exit');
  expect([await ended, stderr()]).toEqual([0, '']);
});

verifiesCommand('mcli:no-daemon', async (arm) => {
  const { run, write } = folderOf(arm);
  write('.mcpd.toml', 'servers = []\n[daemon.api]\naddr = "127.0.0.1:1"\n');
  for (const args of [
    ['status'],
    ['tools'],
    ['call', 'a', 'b'],
    ['logs', 'a', '-f'],
    ['reload'],
    ['restart', 'a'],
  ]) {
    expect(await run(...args)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'Error: No manager is running at http://127.0.0.1:1. Start one with `mcp-manager daemon`, or set its address with --url.\n',
    });
  }
});

verifiesCommand('mcli:keys', async (arm) => {
  const { run, read } = folderOf(arm);
  const { exitCode, stdout: key } = await run(
    'keys',
    'create',
    '--name',
    'ci',
    '--server',
    'git*',
    '--rate',
    '5/m',
  );
  expect([exitCode, key]).toEqual([0, expect.stringMatching(/^mcpm_[\w-]{43}\n$/)]);
  expect(read('keys.jsonl')).not.toContain(key.trim().slice(5));
  const listed = await run('keys', 'list');
  expect(listed.stdout).toMatch(/^ID +NAME +STATE +ACCESS .*\n\w+ +ci +active +git\* +5\/m/);
  expect(listed.stdout).not.toContain(key.trim().slice(5));
  expect((await run('keys', 'create', '--name', 'ci')).exitCode).toBe(1);
  expect((await run('keys', 'revoke', 'ci')).exitCode).toBe(0);
  expect(JSON.parse((await run('keys', 'list', '--json')).stdout)).toMatchObject([{ state: 'revoked' }]);
  expect(await run('keys', 'revoke', 'ci')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/contains no active key "ci"/),
  });
});

verifiesOnce('mcli:keys:at-once', async () => {
  const { run } = folderOf(EXECUTABLE_COMMANDS);
  const names = Array.from({ length: 6 }, (_, index) => `key-${index}`);
  await Promise.all(names.map((name) => run('keys', 'create', '--name', name)));
  await Promise.all(
    names.flatMap((name) => [run('keys', 'revoke', name), run('keys', 'create', '--name', `new-${name}`)]),
  );
  const keys = JSON.parse((await run('keys', 'list', '--json')).stdout) as {
    name: string;
    state: string;
  }[];
  const named = (state: string): string[] =>
    keys
      .filter((key) => key.state === state)
      .map(({ name }) => name)
      .toSorted();
  expect(named('revoked')).toEqual(names);
  expect(named('active')).toEqual(names.map((name) => `new-${name}`));
});
