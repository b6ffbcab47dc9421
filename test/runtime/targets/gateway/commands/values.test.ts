import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from './run-command.ts';

const MUCH = '99999999999999999999';
const KEY = ['keys', 'create'];
const BUDGET = ['budgets', 'create'];

test.each([
  [[...KEY, '--rpm', MUCH], `--rpm: "${MUCH}" is not a whole number from 1 to 999999999999999, or none.`],
  [
    [...BUDGET, '--amount', MUCH],
    `--amount: "${MUCH}" is not 0 or an amount in dollars from 0.000000001 to 9000000000, or none.`,
  ],
  [
    [...BUDGET, '--amount', '0.0000000001'],
    'is not 0 or an amount in dollars from 0.000000001 to 9000000000',
  ],
  [[...KEY, '--budget', '$1e-12'], 'is not 0 or an amount in dollars from 0.000000001 to 9000000000'],
  [
    ['pricing', 'set', 'a:b', '--output', '1', '--input', MUCH],
    'is not 0 or an amount in dollars from 0.000000001 to 9000000000',
  ],
  [[...BUDGET, '--amount', 'five'], '--amount: "five" is not an amount in dollars, e.g. 5 or 2.50, or none.'],
  [
    [...KEY, '--expires', '999999999d'],
    '"999999999d" is not a duration with a number of at most 99999999, or never.',
  ],
  [[...KEY, '--expires', '99999999w'], '--expires: "99999999w" is not a time up to the year 9999, or never.'],
  [
    ['keys', 'rotate', 'x', '--grace', '999999999d'],
    '--grace: "999999999d" is not a duration with a number of at most 99999999.',
  ],
  [['usage', '--from', '999999999d'], '--from: "999999999d" is not a duration with a number'],
  [[...BUDGET, '--every', '1000000w'], '--every: "1000000w" is not a duration of at most 36500d, or none.'],
  [
    [...BUDGET, '--every', '999999999d'],
    '--every: "999999999d" is not a duration of at most 36500d, or none.',
  ],
  [
    [...BUDGET, '--amount', '1', '--every', 'constructor'],
    '--every: "constructor" is not hourly, daily, weekly or monthly',
  ],
  [[...KEY, '--metadata', '[1]'], `--metadata: "[1]" is not a JSON object, e.g. '{"team": "search"}'.`],
  [[...KEY, '--metadata', 'x'], '--metadata: "x" must have the form <name>=<value>.'],
  [['users', 'create', ''], '<user_id> must not be empty.'],
])('%j is rejected with an error that states the violated rule', async (args, message) => {
  const { code, err } = await runCommand(args);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

test('commands and the HTTP API have the same limit for the length of strings', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-limits-'));
  const long = 'x'.repeat(257);
  try {
    expect((await runCommand(['migrate', '--data-dir', folder])).code).toBe(0);
    for (const [args, member] of [
      [['users', 'create', 'ada', '--alias', long], 'alias'],
      [['users', 'create', long], 'user_id'],
      [['keys', 'create', '--name', long], 'key_name'],
      [['keys', 'create', '--model', long], 'allowed_models'],
      [['teams', 'create', 'team', '--alias', long], 'alias'],
      [['orgs', 'create', 'org', '--alias', long], 'alias'],
      [['budgets', 'create', '--amount', '1', '--name', long], 'name'],
      [['pricing', 'set', `a:${long}`, '--input', '1', '--output', '1'], 'model_key'],
    ] as const) {
      const { code, err } = await runCommand([...args, '--data-dir', folder]);
      expect([args[0], code, err]).toEqual([args[0], 1, expect.stringMatching(/256/)]);
      expect(err).toContain(member);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('importing prices from a missing file fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-prices-'));
  try {
    expect((await runCommand(['migrate', '--data-dir', folder])).code).toBe(0);
    const importing = (file: string) => runCommand(['pricing', 'import', file, '--data-dir', folder]);
    expect(await importing('nosuch.csv')).toEqual({
      code: 1,
      out: '',
      err: 'Error: Cannot read the prices: no such file: nosuch.csv. Check the path.\n',
    });
    expect((await importing(folder)).err).toBe(
      `Error: Cannot read the prices: ${folder} is a folder. Pass a file.\n`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.skipIf(process.getuid?.() === 0)('an unreachable database is not reported as missing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-locked-'));
  try {
    chmodSync(folder, 0o000);
    const { code, err } = await runCommand(['keys', 'list', '--data-dir', join(folder, 'data')]);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('its permission denied: folder. Change its permissions'),
    ]);
  } finally {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
  }
});
