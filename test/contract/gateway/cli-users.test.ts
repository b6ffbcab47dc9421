import { expect } from 'vitest';
import { createTestClock } from '../../runtime/targets/gateway/test-clock.ts';
import { useStoreFolder } from './command-folder.ts';
import { useKey } from './use-usage.ts';
import { verifiesGatewayCommand } from './verifies.ts';

const folderOf = useStoreFolder();

verifiesGatewayCommand('gcli:users', async (arm) => {
  const { done, json, refused } = folderOf(arm);
  await done('migrate');
  const { budget_id: budget } = await json('budgets', 'create', '--name', 'team', '--amount', '5');
  const limits = ['--rpm', '9', '--metadata', '{"team": {"id": 7}}'];
  expect(
    await json('users', 'create', 'alice', '--alias', 'Alice', '--budget', 'team', '--blocked', ...limits),
  ).toMatchObject({
    user_id: 'alice',
    alias: 'Alice',
    budget_id: budget,
    blocked: true,
    rpm: 9,
    spend: 0,
    metadata: { team: { id: 7 } },
  });
  await done('keys', 'create', '--user', 'bob');
  const users = await json('users', 'list');
  expect(users).toMatchObject([{ user_id: 'alice' }, { user_id: 'bob', alias: 'User bob' }]);
  const table = await done('users', 'list');
  expect(table).toMatch(
    /^ID +ALIAS +ROLE +STATUS .*\nalice +Alice +member +blocked +\$0\.00 +team .*\nbob +User bob +member +active /,
  );
  expect(await json('users', 'get', 'Alice')).toEqual(users[0]);
  expect(
    await json('users', 'update', 'alice', '--unblock', '--budget', 'none', '--rpm', 'none'),
  ).toMatchObject({
    blocked: false,
    budget_id: null,
    rpm: null,
    alias: 'Alice',
  });
  expect(await done('users', 'get', 'alice')).toMatch(/^blocked +no$/m);
  expect(await done('users', 'delete', 'bob')).toBe('Deleted user bob and disabled their keys.\n');
  expect(await json('keys', 'list')).toMatchObject([{ user_id: 'bob', status: 'inactive' }]);
  expect(await refused(1, 'keys', 'create', '--user', 'bob')).toContain(
    'User "bob" was deleted. Restore it with `gateway users create bob`.',
  );
  await done('users', 'create', 'bob');
  expect(await json('users', 'get', 'bob')).toMatchObject({ alias: null });
});

verifiesGatewayCommand('gcli:teams', async (arm) => {
  const { done, json, refused } = folderOf(arm);
  await done('migrate');
  expect(await done('teams', 'list')).toBe('');
  await done('budgets', 'create', '--name', 'shared', '--amount', '50');
  expect(await json('orgs', 'create', 'acme', '--alias', 'Acme', '--model', 'openai:*')).toMatchObject({
    organization_id: 'acme',
    allowed_models: ['openai:*'],
  });
  const team = await json('teams', 'create', 'research', '--org', 'Acme', '--budget', 'shared', '--rpm', '9');
  expect(team).toMatchObject({ team_id: 'research', organization_id: 'acme', rpm: 9, blocked: false });
  expect(await done('teams', 'list')).toMatch(
    /^ID +ALIAS +ORGANIZATION +STATUS +MODELS .*\nresearch +- +acme +active +all +\$0\.00 +shared /,
  );
  expect(await done('orgs', 'list')).toMatch(/^ID +ALIAS +STATUS .*\nacme +Acme +active +openai:\* /);
  expect(await json('teams', 'get', 'research')).toEqual(team);
  expect(await json('teams', 'update', 'research', '--block', '--any-model', '--rpm', 'none')).toMatchObject({
    blocked: true,
    allowed_models: null,
    rpm: null,
  });
  await done('users', 'create', 'ada', '--role', 'viewer');
  expect(await json('users', 'update', 'ada', '--role', 'member')).toMatchObject({ role: 'member' });
  expect(await done('teams', 'add-member', 'research', 'ada', '--role', 'admin')).toBe(
    'User ada now has the role admin in team research.\n',
  );
  await done('users', 'create', 'bot', '--team', 'research');
  await done('keys', 'create', '--user', 'bob', '--team', 'research');
  expect(await json('teams', 'members', 'research')).toMatchObject([
    { user_id: 'ada', role: 'admin' },
    { user_id: 'bob', role: 'member' },
  ]);
  expect(await done('users', 'list')).toMatch(/^bot +- +service of research +active /m);
  expect(await json('keys', 'list', '--team', 'research')).toMatchObject([
    { user_id: 'bob', scope: 'models' },
  ]);
  await done('keys', 'create', '--user', 'ada', '--scope', 'manage');
  await done('teams', 'remove-member', 'research', 'bob');
  expect(await json('keys', 'list', '--status', 'inactive')).toMatchObject([{ user_id: 'bob' }]);
  for (const [words, message] of [
    [['teams', 'create', 'x', '--org', 'acne'], 'There is no organization "acne"; did you mean `acme`?'],
    [['teams', 'update', 'reserch', '--block'], 'There is no team "reserch"; did you mean `research`?'],
    [['orgs', 'delete', 'acme'], "Organization with id 'acme' has 1 team"],
    [['users', 'create', 'b2', '--team', 'research', '--role', 'admin'], 'has the role member, not admin'],
    [['teams', 'add-member', 'research', 'bot'], 'only people can be members'],
  ] as const)
    expect(await refused(1, ...words)).toContain(message);
  expect(await refused(2, 'teams', 'update', 'research')).toContain('Nothing to change');
  expect(await refused(2, 'teams', 'update', 'research', '--model', 'a', '--any-model')).toContain(
    'conflicts',
  );
  expect(await done('teams', 'delete', 'research')).toBe('Deleted team research and disabled its keys.\n');
  expect(await done('orgs', 'delete', 'Acme')).toBe('Deleted organization acme.\n');
});

verifiesGatewayCommand('gcli:budgets', async (arm) => {
  const { done, json, refused } = folderOf(arm);
  await done('migrate');
  expect(await done('budgets', 'list')).toBe('');
  const made = await json('budgets', 'create', '--name', 'team', '--amount', '$10', '--every', 'monthly');
  expect(made).toMatchObject({ name: 'team', max_budget: 10, budget_duration_sec: 2_592_000 });
  const { budget_id: id } = made;
  await done('budgets', 'create', '--amount', '0.000000001', '--every', '12h');
  await done('users', 'create', 'alice', '--budget', id);
  expect(await done('budgets', 'list')).toMatch(
    /^ID +NAME +LIMIT PER USER +USERS +CREATED\n\S+ +team +\$10\.00 per 30d +1 .*\n\S+ +- +\$0\.000000001 per 12h +0 /,
  );
  expect(await json('budgets', 'list')).toMatchObject([made, { name: null, budget_duration_sec: 43_200 }]);
  expect(await json('budgets', 'get', 'team')).toEqual(made);
  expect(await done('budgets', 'get', id)).toMatch(/^limit per user +\$10\.00 per 30d$/m);
  const changed = await json(
    'budgets',
    'update',
    'team',
    '--amount',
    'none',
    '--every',
    'none',
    '--name',
    'all',
  );
  expect(changed).toMatchObject({ name: 'all', max_budget: null, budget_duration_sec: null });
  await done('budgets', 'update', 'all', '--calendar', 'month', '--time-zone', 'Europe/Berlin');
  expect(await done('budgets', 'get', 'all')).toMatch(
    /^limit per user +unlimited per month \(Europe\/Berlin\)$/m,
  );
  expect(await refused(1, 'budgets', 'update', 'all', '--every', '12h')).toContain('mutually exclusive');
  expect(await refused(2, 'budgets', 'update', 'all', '--calendar', 'year')).toContain('day, week, month');
  expect(await done('budgets', 'resets', '--user', 'alice')).toBe('');
  expect(await json('budgets', 'resets')).toEqual([]);
  expect(await json('budgets', 'forecast', '--owner', 'team')).toEqual([]);
  await done('budgets', 'update', 'all', '--amount', '5');
  expect(await json('budgets', 'forecast')).toMatchObject([
    { owner: { type: 'user', id: 'alice' }, max_budget: 5, days: 0, forecast: null },
  ]);
  expect(await done('budgets', 'forecast')).toMatch(
    /^BUDGET +SPENT +LIMIT +RESET +PROJECTED .*\nUser 'alice' +\$0\.00 +\$5\.00 .* not enough data +- +-\n$/,
  );
  expect(await refused(2, 'budgets', 'forecast', '--owner', 'tag')).toContain(
    'user, key, team, organization',
  );
  expect(await refused(1, 'budgets', 'delete', 'all')).toContain(
    'is assigned to 1 user; assign another budget first',
  );
  await done('users', 'update', 'alice', '--budget', 'none');
  expect(await json('budgets', 'delete', 'all')).toEqual({ budget_id: id, deleted: true });
});

verifiesGatewayCommand('gcli:forecast', async (arm) => {
  const { done, json, path } = folderOf(arm);
  const DAY_MS = 86_400_000;
  await done('migrate');
  await done('budgets', 'create', '--name', 'all', '--amount', '100');
  await done('users', 'create', 'ann', '--budget', 'all');
  const key = (await done('keys', 'create', '--user', 'ann')).trim();
  const now = Date.now();
  for (let day = 10; day > 0; day -= 1)
    await useKey(
      `sqlite:${path('data/gateway.db')}`,
      key,
      [{ cost: 3_000_000_000n }],
      createTestClock(now - day * DAY_MS),
    );
  const [budget] = await json('budgets', 'forecast');
  expect(budget).toMatchObject({
    owner: { type: 'user', id: 'ann' },
    max_budget: 100,
    spend: 30,
    days: 10,
    forecast: { projected_spend: null },
  });
  // $70 are left for days of $3.
  const days = (Date.parse(budget.forecast.exhausted_at) - now) / DAY_MS;
  expect(days).toBeGreaterThan(22);
  expect(days).toBeLessThan(25);
  const date = budget.forecast.exhausted_at.slice(0, 10);
  expect(await done('budgets', 'forecast')).toMatch(
    new RegExp(String.raw`^BUDGET .*\nUser 'ann' +\$30\.00 +\$100\.00 .*${date}`),
  );
});
