import { expect } from 'vitest';
import { useReceivers, WEBHOOK_SECRET } from '../../runtime/targets/gateway/alerts/receiver.ts';
import { useStoreFolder } from './command-folder.ts';
import { verifiesGatewayCommand } from './verifies.ts';

const folderOf = useStoreFolder();
const receiver = useReceivers();

verifiesGatewayCommand('gcli:alerts', async (arm) => {
  const { url, received, statuses } = await receiver();
  const { origin } = new URL(url);
  const { done, json, refused } = folderOf(arm, { alerts: { webhook: { url, secret: WEBHOOK_SECRET } } });
  await done('migrate');
  expect(await json('alerts', 'list')).toEqual([]);
  expect(await done('alerts', 'test')).toMatch(
    new RegExp(`^Sent alert_test_[\\da-f-]{36} to ${origin}: HTTP 204\\.\n$`),
  );
  expect(received[0]?.body).toMatchObject({ type: 'alert.test' });
  statuses.push(500);
  expect(await refused(1, 'alerts', 'test')).toContain(
    `The webhook at ${origin} did not accept the test: HTTP 500.`,
  );
  expect(await refused(2, 'alerts', 'list', '--state', 'lost')).toContain('pending, sent, failed');
  await done('budgets', 'create', '--name', 'team', '--amount', '5', '--alert-at', '90,50%');
  expect(await done('budgets', 'get', 'team')).toMatch(/^alerts at +50%, 90%$/m);
  expect(await json('budgets', 'update', 'team', '--alert-at', 'none')).toMatchObject({
    alert_thresholds: [],
  });
  await done('budgets', 'update', 'team', '--alert-at', 'default');
  expect(await json('budgets', 'get', 'team')).toMatchObject({ alert_thresholds: null });
  expect(await refused(2, 'budgets', 'update', 'team', '--alert-at', '0')).toContain(
    '--alert-at: "0" is not percentages from 1 to 100 separated by commas, or none, or default.',
  );
  const bare = folderOf(arm, {});
  expect(await bare.refused(1, 'alerts', 'test')).toContain('No webhook is configured.');
});

verifiesGatewayCommand('gcli:cache', async (arm) => {
  const { done, json, refused } = folderOf(arm);
  await done('migrate');
  await done('keys', 'create', '--name', 'ci');
  expect(await done('cache', 'clear')).toBe('Cleared the cache: 0 answers were in the database.\n');
  expect(await json('cache', 'clear', '--key', 'ci')).toEqual({ deleted: 0 });
  expect(await refused(1, 'cache', 'clear', '--key', 'cj')).toContain('There is no key "cj"');
  const { items } = await json('audit', '--action', 'cache');
  const { id } = await json('keys', 'get', 'ci');
  expect(items.map(({ object }: { object: string | null }) => object)).toEqual([id, null]);
});

verifiesGatewayCommand('gcli:tags', async (arm) => {
  const { done, json, refused } = folderOf(arm);
  await done('migrate');
  expect(await json('tags', 'list')).toEqual([]);
  const { budget_id: budget } = await json('budgets', 'create', '--name', 'team', '--amount', '5');
  expect(await done('tags', 'set', 'search/eu', '--budget', 'team')).toBe(
    'Tag search/eu now has a budget of $5.00.\n',
  );
  expect(await json('tags', 'list')).toMatchObject([{ tag: 'search/eu', budget_id: budget, spend: 0 }]);
  expect(await done('tags', 'list')).toMatch(
    /^TAG +BUDGET +SPENT +NEXT RESET\nsearch\/eu +\$5\.00 +\$0\.00 +-/,
  );
  expect(await refused(2, 'tags', 'set', 'x')).toContain('--budget is required');
  expect(await refused(1, 'tags', 'set', 'a,b', '--budget', 'team')).toContain('Invalid tag "a,b": expected');
  expect(await refused(1, 'budgets', 'delete', 'team')).toContain("assigned to tag 'search/eu'");
  expect(await json('usage', '--tag', 'search/eu', '--group-by', 'tag')).toMatchObject({ groups: [] });
  expect(await done('tags', 'delete', 'search/eu')).toBe('Removed the budget of tag search/eu.\n');
  expect(await refused(1, 'tags', 'delete', 'search/eu')).toContain("Tag 'search/eu' has no budget.");
});

verifiesGatewayCommand('gcli:pricing:units', async (arm) => {
  const { done, json, refused } = folderOf(arm);
  await done('migrate');
  const set = ['pricing', 'set', 'openai:painter', '--input', '5', '--output', '0'];
  const units = ['--unit', 'image-output=40', '--unit', 'web-search=0.01'];
  expect(await json(...set, ...units)).toMatchObject({
    image_output_price_per_million: 40,
    web_search_price: 0.01,
  });
  expect(await done('pricing', 'list')).toMatch(/OTHER +SINCE\n.*web search \$0\.01, image output \$40\.00/);
  expect(await refused(2, ...set, '--unit', 'websearch=1')).toMatch(
    /--unit: "websearch" is not one of web-search, .*did you mean/,
  );
  expect(await refused(2, ...set, '--unit', 'image')).toContain('Use, for example, image=0.01');
});
