import { expect } from 'vitest';
import { asKey } from './config.ts';
import { useStoreFolder } from './command-folder.ts';
import { GATEWAY_COMMANDS, GATEWAY_EXECUTABLE } from './command-arms.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway, verifiesGatewayCommand } from './verifies.ts';
import { verifiesOnce } from '../verifies.ts';
import { storeFolder } from './command-folder.ts';

const folderOf = useStoreFolder();
const gateway = shareGateways();

verifiesGatewayCommand('gcli:keys', async (arm) => {
  const { done, json, refused } = folderOf(arm);
  await done('migrate');
  expect(await done('keys', 'list')).toBe('');
  const options = [
    '--model',
    'openai:*',
    '--model',
    'fast',
    '--budget',
    '$2.50',
    '--budget-every',
    'daily',
    '--alert-at',
    '90, 50',
  ];
  const limits = ['--rpm', '60', '--tpm', '5000', '--max-parallel', '2', '--metadata', 'team=search'];
  await done('keys', 'create', '--name', 'ci', '--user', 'bob', '--expires', '90d', ...options, ...limits);
  const key = await json('keys', 'get', 'ci');
  expect(key).toMatchObject({
    key_name: 'ci',
    user_id: 'bob',
    status: 'active',
    allowed_models: ['openai:*', 'fast'],
    budget: { max_budget: 2.5, budget_duration_sec: 86_400, alert_thresholds: [50, 90] },
    rpm: 60,
    tpm: 5000,
    max_parallel: 2,
    metadata: { team: 'search' },
  });
  const days = (Date.parse(key.expires_at) - Date.parse(key.created_at)) / 86_400_000;
  expect(days).toBeCloseTo(90, 2);
  expect(await json('keys', 'get', key.id)).toEqual(key);
  expect(await json('keys', 'get', key.key_prefix)).toEqual(key);
  expect(await json('keys', 'list')).toEqual([key]);
  const table = await done('keys', 'list', '--user', 'bob', '--status', 'active');
  expect(table).toMatch(
    /^ID +NAME +KEY .*\n[\w-]{36} +ci +gw-[\w-]{7}… +bob +- +active +\$0\.00 +\$2\.50 per 1d /,
  );
  expect(await done('keys', 'get', 'ci')).toMatch(/^models +openai:\*, fast$/m);

  const none = ['--expires', 'never', '--rpm', 'none', '--any-model', '--budget', '7'];
  expect(await json('keys', 'update', 'ci', '--name', 'cd', '--deactivate', ...none)).toMatchObject({
    key_name: 'cd',
    status: 'inactive',
    expires_at: null,
    rpm: null,
    tpm: 5000,
    allowed_models: null,
    // Half of the budget was requested.
    budget: { max_budget: 7, budget_duration_sec: 86_400, alert_thresholds: [50, 90] },
  });
  expect(await done('keys', 'update', 'cd', '--alert-at', 'none')).toMatch(/^alerts at +none$/m);
  expect(await done('keys', 'list', '--status', 'active')).toBe('');
  const last = await json('keys', 'update', 'cd', '--activate', '--budget', 'none', '--budget-every', 'none');
  expect(last).toMatchObject({ status: 'active', budget: null });
  expect(await refused(2, 'keys', 'update', 'cd', '--alert-at', '50')).toContain(
    '--alert-at requires a key budget. Set one with --budget.',
  );
  expect(await done('keys', 'delete', 'cd')).toBe(`Deleted key ${key.id}.\n`);
  expect(await refused(1, 'keys', 'get', key.id)).toContain('There is no key');
});

verifiesGatewayCommand('gcli:keys:secret', async (arm) => {
  const { run, json, done } = folderOf(arm);
  await done('migrate');
  const made = await run('keys', 'create', '--name', 'ci');
  expect(made).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^gw-[\w-]{64}\n$/),
    stderr: expect.stringMatching(/^Created key .*\. The key is shown only once:\n$/),
  });
  const rotated = await run('keys', 'rotate', 'ci', '--grace', '1h');
  expect(rotated.stdout).toMatch(/^gw-[\w-]{64}\n$/);
  expect(rotated.stderr).toContain('the old secret stays valid for 1h');
  const asJson = await json('keys', 'rotate', 'ci');
  expect(asJson).toMatchObject({ key_name: 'ci', key: expect.stringMatching(/^gw-[\w-]{64}$/) });
  const shown = await Promise.all([
    done('keys', 'list'),
    done('keys', 'list', '--json'),
    done('keys', 'get', 'ci'),
    done('keys', 'get', 'ci', '--json'),
    done('keys', 'update', 'ci', '--rpm', '5', '--json'),
  ]);
  for (const secret of [made.stdout.trim(), rotated.stdout.trim(), asJson.key]) {
    for (const text of [...shown, made.stderr, rotated.stderr]) expect(text).not.toContain(secret.slice(10));
  }
});

verifiesGateway('gcli:keys:running', async (arm) => {
  const { get, folder } = await gateway(arm, { config: { data_dir: 'data' } });
  const { done } = storeFolder(GATEWAY_COMMANDS, folder);
  const secret = (await done('keys', 'create', '--name', 'ci')).trim();
  const statusOf = async (key: string): Promise<number> => (await get('/v1/models', asKey(key))).status;
  expect(await statusOf(secret)).toBe(200);
  await done('keys', 'update', 'ci', '--deactivate');
  await expect.poll(() => statusOf(secret)).toBe(401);
  await done('keys', 'update', 'ci', '--activate');
  await expect.poll(() => statusOf(secret)).toBe(200);
  const next = (await done('keys', 'rotate', 'ci')).trim();
  expect(await statusOf(next)).toBe(200);
  await expect.poll(() => statusOf(secret)).toBe(401);
});

verifiesGateway('gcli:keys:me', async (arm) => {
  const { url, folder } = await gateway(arm, { config: { data_dir: 'data' } });
  const { done } = storeFolder(GATEWAY_COMMANDS, folder);
  const secret = (await done('keys', 'create', '--user', 'bob', '--rpm', '7', '--budget', '2.50')).trim();
  const me = async (...args: string[]) =>
    await GATEWAY_COMMANDS.run(['keys', 'me', '--url', url, '--api-key', secret, ...args]);
  const { stdout } = await me();
  expect(stdout).toMatch(/^user +bob$/m);
  expect(stdout).toMatch(/^key: remaining +\$2\.50$/m);
  expect(stdout).toMatch(/^key: requests per minute +0 of 7$/m);
  expect(stdout).toMatch(/^user: remaining +unlimited$/m);
  expect(JSON.parse((await me('--json')).stdout)).toMatchObject({ quota: { key: { remaining: 2.5 } } });
  expect(await GATEWAY_COMMANDS.run(['keys', 'me', '--url', url])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Set GATEWAY_API_KEY or --api-key.'),
  });
});

verifiesGatewayCommand('gcli:keys:models', async (arm) => {
  const providers = {
    openai: { api_key: 'sk-1' },
    mine: { type: 'openai', api_base: 'https://x.example', api_key: 'k' },
  };
  const { run, done } = folderOf(arm, { providers, aliases: { fast: { targets: ['openai:gpt-4o-mini'] } } });
  await done('migrate');
  const saidOf = async (...patterns: string[]): Promise<string> => {
    const { exitCode, stderr } = await run('keys', 'create', ...patterns.flatMap((one) => ['--model', one]));
    expect(exitCode).toBe(0);
    return stderr.replace(/^Created key.*\n/m, '');
  };
  expect(await saidOf('openai:gpt-*', 'fast', 'MINE:*', '*', 'open*')).toBe('');
  expect(await saidOf('opena:gpt-4o', 'fsat')).toBe(
    'Warning: "opena:gpt-4o" matches no configured provider or alias; did you mean `openai`?\n' +
      'Warning: "fsat" matches no configured provider or alias; the key cannot use it yet\n',
  );
});

verifiesOnce('gcli:at-once', async () => {
  const { done, json } = folderOf(GATEWAY_EXECUTABLE);
  const names = Array.from({ length: 6 }, (_, index) => `key-${index}`);
  await Promise.all(names.map(() => done('migrate')));
  await Promise.all(names.map((name) => done('keys', 'create', '--name', name)));
  await Promise.all(names.map((name) => done('keys', 'update', name, '--metadata', `of=${name}`)));
  const keys = (await json('keys', 'list')) as { key_name: string; metadata: object }[];
  expect(keys.map(({ key_name: name }) => name).toSorted()).toEqual(names);
  for (const { key_name: name, metadata } of keys) expect(metadata).toEqual({ of: name });
});
