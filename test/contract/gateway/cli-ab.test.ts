import { expect } from 'vitest';
import { AB, askAs, PEOPLE, startTested } from './ab-traffic.ts';
import { MASTER_KEY } from './arms.ts';
import { useStoreFolder } from './command-folder.ts';
import { useGatewayProcesses } from './gateway-process.ts';
import { verifiesGatewayCommand } from './verifies.ts';

const { config: models, fail } = await startTested();
const config = { ...models, master_key: MASTER_KEY };
const folderOf = useStoreFolder();
const { open } = useGatewayProcesses();

verifiesGatewayCommand('gcli:ab', async (arm) => {
  const { done, json, refused, path } = folderOf(arm, config);
  await done('migrate');
  const create = ['aliases', 'create', 'fast', '--target', 'openai:current', '--ab'];
  expect(await refused(2, ...create, '{')).toContain('--ab: expected a JSON object.');
  expect(await refused(1, ...create, JSON.stringify({ ...AB, window: 'soon' }))).toContain(
    'ab.window: expected a time such as 12h or 7d, found "soon"',
  );
  expect(await refused(1, ...create, JSON.stringify({ ...AB, window: 0 }))).toMatch(
    /`ab\.window`: expected a string, found the number 0\.$/m,
  );
  await done(...create, JSON.stringify(AB));
  expect(await refused(2, 'aliases', 'update', 'fast', '--no-ab', '--ab', '{}')).toContain(
    '--ab conflicts with --no-ab; use one of them.',
  );
  expect(await done('aliases', 'get', 'fast')).toMatch(/^A\/B test +openai:candidate, share 0\.5$/m);
  expect(await done('shadow', 'list')).toMatch(
    /^ALIAS +MODE +CANDIDATE +REQUESTS +VERDICT .*\nfast +ab +openai:candidate +0 +undecided +- +-\nfixed +ab +openai:candidate +0/m,
  );
  fail();
  const key = (await done('keys', 'create', '--user', 'app')).trim();
  const gateway = await open(path('.'));
  await Promise.all(PEOPLE.map((person) => askAs(gateway, 'fast', key, person)));
  await expect
    .poll(async () => (await json('shadow', 'get', 'fast')) as object, { timeout: 60_000, interval: 1000 })
    .toMatchObject({ verdict: 'worse', rows: 60 });
  expect(await done('shadow', 'get', 'fast')).toMatch(
    /^verdict +worse with 95%$[^]*^end users \(current, candidate, waiting\) +\d+, \d+, 0$[^]*^METRIC +USERS [^]*^success +60 +1\.000 +0\.000 /m,
  );
  expect(await refused(1, 'shadow', 'promote', 'fast')).toContain(
    'The verdict on openai:candidate is worse.',
  );
  await done('aliases', 'update', 'fast', '--no-ab');
  expect(await refused(1, 'shadow', 'get', 'fast')).toContain(
    'has neither a shadow evaluation nor an A/B test',
  );
});
