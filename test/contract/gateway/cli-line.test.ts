import { once } from 'node:events';
import { expect } from 'vitest';
import { gatewayProgram } from '#gateway/program.ts';
import { commandWords } from '../command-words.ts';
import { startExecutable } from '../../helpers/start-executable.ts';
import { verifiesOnce } from '../verifies.ts';
import { GATEWAY_EXECUTABLE } from './command-arms.ts';
import { useStoreFolder } from './command-folder.ts';
import { verifiesGatewayCommand } from './verifies.ts';
import { builtProgram } from '../../helpers/built.ts';

const folderOf = useStoreFolder();

verifiesGatewayCommand('gcli:mistakes', async (arm) => {
  const { done, refused } = folderOf(arm);
  await done('migrate');
  await done('users', 'create', 'alice', '--alias', 'Al');
  await done('users', 'create', 'o brien', '--alias', 'Al');
  await done('keys', 'create', '--name', 'ci');
  await done('keys', 'create', '--name', 'twice');
  await done('keys', 'create', '--name', 'twice');
  await done('pricing', 'set', 'openai:gpt-4o', '--input', '1', '--output', '2');
  const all: readonly (readonly [code: number, args: string[], meant: string])[] = [
    [1, ['users', 'get', 'alise'], 'There is no user "alise"; did you mean `alice`?'],
    [1, ['users', 'get', 'Al'], '"Al" matches more than one user. Use an ID: alice, o brien.'],
    [
      1,
      ['users', 'create', 'alice'],
      "User with id 'alice' already exists. Change it with `gateway users update alice`.",
    ],
    [1, ['users', 'create', 'o brien'], "`gateway users update 'o brien'`"],
    [
      1,
      ['users', 'create', 'bob', '--budget', 'team'],
      'There is no budget "team". `gateway budgets list` shows all.',
    ],
    [1, ['keys', 'get', 'cii'], 'There is no key "cii". `gateway keys list` shows all.'],
    [1, ['keys', 'delete', 'twice'], '"twice" matches more than one key. Use an ID:'],
    [1, ['keys', 'rotate', 'twise'], 'did you mean `twice`?'],
    [1, ['pricing', 'history', 'openai:gpt4o'], 'did you mean `openai:gpt-4o`?'],
    [
      1,
      ['pricing', 'delete', 'x:y'],
      'There is no price for "x:y". `gateway pricing list` shows all prices.',
    ],
    [1, ['usage', '--key', 'nobody'], 'There is no key "nobody"'],
    [
      2,
      ['keys', 'create', '--budget', '5 euros'],
      '--budget: "5 euros" is not an amount in dollars, e.g. 5 or 2.50, or none.',
    ],
    [2, ['keys', 'create', '--budget=-5'], '--budget: "-5" is not an amount in dollars'],
    [
      2,
      ['keys', 'create', '--budget-every', 'yearly'],
      '--budget-every: "yearly" is not hourly, daily, weekly or monthly',
    ],
    [
      2,
      ['keys', 'create', '--expires', 'soon'],
      '--expires: "soon" is not a number with a unit s, m, h, d or w',
    ],
    [2, ['keys', 'create', '--expires', '2001-01-01'], 'is in the past. Use a later time, or never.'],
    [
      2,
      ['keys', 'create', '--rpm', '0'],
      '--rpm: "0" is not a whole number from 1 to 999999999999999, or none.',
    ],
    [2, ['keys', 'create', '--metadata', 'x'], '--metadata: "x" must have the form <name>=<value>.'],
    [2, ['keys', 'create', '--metadata', '{"a":'], 'is not a JSON object'],
    [
      2,
      ['keys', 'create', '--model', ' '],
      '--model: an empty pattern matches no model. Use * to match all models.',
    ],
    [2, ['keys', 'update', 'ci'], 'Nothing to change. Set at least one option.'],
    [
      2,
      ['keys', 'update', 'ci', '--activate', '--deactivate'],
      '--activate conflicts with --deactivate; use one of them.',
    ],
    [
      2,
      ['keys', 'update', 'ci', '--model', '*', '--any-model'],
      '--model conflicts with --any-model; use one of them.',
    ],
    [
      2,
      ['keys', 'rotate', 'ci', '--grace', '1 hour'],
      '--grace: "1 hour" is not a number with the unit s, m, h, d or w, e.g. 1h.',
    ],
    [2, ['keys', 'get'], 'Missing argument: <id|name|prefix>.'],
    [
      2,
      ['users', 'update', 'alice', '--block', '--unblock'],
      '--block conflicts with --unblock; use one of them.',
    ],
    [2, ['pricing', 'set', 'a:b', '--input', '1'], '--output is required, in dollars per million tokens.'],
    [
      2,
      ['pricing', 'set', 'a:b', '--input', '1', '--output', '1', '--effective', '1d'],
      '--effective: "1d" is not a date',
    ],
  ];
  // For command line errors, the executable reports the same as the program in this process.
  const asked = arm === GATEWAY_EXECUTABLE ? all.filter(([code]) => code === 1).slice(0, 5) : all;
  for (const [code, args, meant] of asked) expect(await refused(code, ...args)).toContain(meant);
});

verifiesGatewayCommand('gcli:completion', async (arm) => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { exitCode, stdout } = await arm.run(['completion', shell]);
    expect(exitCode).toBe(0);
    for (const part of ['keys rotate', 'pricing import', 'group-by']) expect(stdout).toContain(part);
  }
  expect(await arm.run(['completion', 'csh'])).toMatchObject({ exitCode: 2 });
});

verifiesGatewayCommand('gcli:help', async (arm) => {
  const known = [[], ...commandWords(gatewayProgram.commands)];
  expect(known.length).toBeGreaterThan(30);
  const all = arm === GATEWAY_EXECUTABLE ? known.filter(({ length }) => length < 2) : known;
  const asked = await Promise.all(all.map((words) => arm.run([...words, '--help'])));
  for (const [index, answer] of asked.entries()) {
    const usage = `Usage: ${['gateway', ...(all[index] ?? [])].join(' ')}`;
    expect(answer).toEqual({ exitCode: 0, stdout: expect.stringContaining(usage), stderr: '' });
  }
});

verifiesGatewayCommand('gcli:unknown', async (arm) => {
  for (const [args, meant] of [
    [['user'], 'Did you mean `gateway users`?'],
    [['keys', 'creat'], 'Did you mean `gateway keys create`?'],
    [['keys', 'list', '--jsn'], 'Did you mean --json?'],
    [['keys', 'list', '--status', 'dead'], 'one of active, inactive, expired'],
    [['budgets', 'list', 'x'], 'Unexpected argument "x".'],
  ] as const) {
    const { exitCode, stdout, stderr } = await arm.run(args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Error: .*\nSee `gateway.* --help`\.\n$/);
    expect(stderr).toContain(meant);
  }
});

verifiesGatewayCommand('gcli:version', async (arm) => {
  for (const word of ['version', '--version', '-V']) {
    expect(await arm.run([word])).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^gateway (\d+\.\d+\.\d+\S*|from source)\n$/),
      stderr: '',
    });
  }
});

verifiesOnce('gcli:reader-gone', async () => {
  const { child, ended, stderr } = startExecutable(builtProgram('gateway'), ['completion', 'bash']);
  child.stdout?.destroy();
  await once(child, 'exit');
  expect([await ended, stderr()]).toEqual([0, '']);
});
