import { userInfo } from 'node:os';
import { expect } from 'vitest';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { openStore } from '#gateway/store/open-store.ts';
import { USAGE_ROW } from '../../runtime/targets/gateway/usage-row.ts';
import { useStoreFolder } from './command-folder.ts';
import { verifiesGatewayCommand } from './verifies.ts';

const folderOf = useStoreFolder();

verifiesGatewayCommand('gcli:audit', async (arm) => {
  const { done, json, path, run, refused } = folderOf(arm);
  await done('migrate');
  const key = (await done('keys', 'create', '--name', 'ci', '--user', 'ada')).trim();
  await done('keys', 'update', 'ci', '--budget', '5');
  await done('pricing', 'set', 'a:b', '--input', '1', '--output', '2');
  await done('backup', path('copy.db'));
  await done('users', 'delete', 'ada');
  await done('restore', path('copy.db'), '--force');

  const { total, items } = await json('audit');
  // The backup was written before its audit event, so it contains neither this event nor later ones.
  const actions = ['database.restore', 'price.set', 'key.update', 'key.create', 'database.migrate'];
  expect([total, items.map(({ action }: { action: string }) => action)]).toEqual([5, actions]);
  expect(items[2]).toMatchObject({
    actor: 'cli',
    actor_id: userInfo().username,
    address: null,
    outcome: 'success',
    before: { budget: null },
    after: { budget: { max_budget: 5, budget_duration_sec: null, alert_thresholds: null } },
  });
  expect(JSON.stringify(items)).not.toContain(key);
  const table = await done('audit', '--action', 'key');
  expect(table).toMatch(/^TIME +ACTOR +ADDRESS +ACTION +OBJECT +OUTCOME +CHANGE\n/);
  expect(table).toMatch(/Z +cli \S+ +- +key\.update +\S+ +success +\{"budget":null\} → /);
  expect(table.trimEnd().split('\n')).toHaveLength(3);
  const csv = await done('audit', '--csv', '--from', '1h');
  expect(csv.trimEnd().split('\r\n')).toHaveLength(6);
  expect(csv).toMatch(/^id,at,actor,actor_id,.*\r\n\S+,cli,\S+,,,,,database\.migrate,,success,,"/);
  expect((await run('audit', '--object', 'nothing')).stderr).toBe('No events found.\n');
  expect(await refused(2, 'audit', '--csv', '--json')).toContain('--csv conflicts with --json');
});

verifiesGatewayCommand('gcli:requests', async (arm) => {
  const { done, json, run, refused } = folderOf(arm);
  await done('migrate');
  expect((await run('requests', 'list')).stderr).toBe('No requests found.\n');
  expect(await json('requests', 'latency', '--days', '2')).toMatchObject({ all: { answers: 0 }, groups: [] });
  expect(await json('guardrails', 'hits')).toEqual({ total: 0, items: [] });
  expect(await refused(1, 'requests', 'get', 'none')).toContain("Request 'none' not found");
});

verifiesGatewayCommand('gcli:feedback', async (arm) => {
  const { done, json, path, run, refused } = folderOf(arm);
  await done('migrate');
  expect((await run('feedback', 'list')).stderr).toBe('No feedback found.\n');
  expect(await refused(1, 'feedback', 'add', 'r-1', '--thumb', 'up')).toContain(
    'No finished request with ID "r-1"',
  );
  expect(await refused(2, 'feedback', 'add', 'r-1')).toContain('Set --thumb');
  expect(await refused(2, 'feedback', 'add', 'r-1', '--score', '101')).toContain('from -100 to 100');
  const store = await openStore(parseDatabaseUrl(`sqlite:${path('data/gateway.db')}`), {
    autoMigrate: false,
  });
  await store.db
    .insertInto('gateway_usage')
    .values({ ...USAGE_ROW, id: 'u-1', request_id: 'r-1', user_id: 'ada' })
    .execute();
  await store.close();
  const text = 'Key sk-abcdefghijklmnopqrstuvwx leaked';
  const first = (await done('feedback', 'add', 'r-1', '--score', '2.5', '--text', text)).trim();
  const again = await json(
    'feedback',
    'add',
    'r-1',
    '--thumb',
    'down',
    '--text',
    text,
    '--expected-output',
    'Hi',
  );
  expect(again).toMatchObject({
    id: first,
    request_id: 'r-1',
    author: null,
    user_id: 'ada',
    thumb: 'down',
    score: null,
    text: 'Key [redacted] leaked',
    expected_output: 'Hi',
  });
  expect(await json('feedback', 'list', '--thumb', 'down', '--user', 'ada')).toMatchObject({ total: 1 });
  expect(await done('feedback', 'list')).toMatch(/^ID +TIME +REQUEST +MODEL +AUTHOR +THUMB +SCORE +LABEL\n/);
  expect(await done('feedback', 'rates')).toMatch(/\nopenai:gpt-5 +1 +0 +1 +0 % +-\n$/);
  await done('feedback', 'delete', first);
  expect(await refused(1, 'feedback', 'delete', first)).toContain('not found');
});
