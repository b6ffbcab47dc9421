import { expect } from 'vitest';
import { MASTER_KEY } from './arms.ts';
import { useStoreFolder } from './command-folder.ts';
import { useGatewayProcesses } from './gateway-process.ts';
import { compareThirty, SHADOW, startEvaluated, textOf } from './shadow-traffic.ts';
import { verifiesGatewayCommand } from './verifies.ts';

const config = { ...(await startEvaluated()), master_key: MASTER_KEY };
const folderOf = useStoreFolder();
const { open } = useGatewayProcesses();

verifiesGatewayCommand('gcli:shadow', async (arm) => {
  const { done, json, refused, path } = folderOf(arm, config);
  await done('migrate');
  await done('users', 'create', 'evaluation');
  const create = ['aliases', 'create', 'fast', '--target', 'openai:current', '--shadow'];
  expect(await refused(2, ...create, '{')).toContain('--shadow: expected a JSON object.');
  expect(await refused(1, ...create, JSON.stringify({ ...SHADOW, judge: 'none:judge' }))).toContain(
    'shadow.judge: There is no provider `none`',
  );
  await done(...create, JSON.stringify(SHADOW));

  expect(await refused(1, 'shadow', 'get', 'nowhere')).toContain("Alias 'nowhere' not found");
  expect(await refused(1, 'shadow', 'get', 'plain')).toContain(
    "Alias 'plain' has neither a shadow evaluation nor an A/B test.",
  );
  expect(await refused(1, 'shadow', 'promote', 'nowhere', '--force')).toContain("Alias 'nowhere' not found");
  expect(await refused(1, 'shadow', 'promote', 'fixed', '--force')).toContain(
    "Alias 'fixed' is in the configuration file. Set its `targets` to [openai:candidate] and remove `shadow` there.",
  );
  expect(await refused(1, 'shadow', 'promote', 'fast')).toContain(
    'The verdict on openai:candidate is undecided. Wait for the verdict not_worse, or force the promotion.',
  );
  expect(await refused(2, 'shadow', 'promote')).toContain('<alias>');
  expect(await done('shadow', 'list')).toMatch(
    /^ALIAS +MODE +CANDIDATE +REQUESTS +VERDICT .*\nfast +shadow +openai:candidate +0 +undecided +- +-\nfixed +shadow +openai:candidate +0 +undecided +- +-$/m,
  );

  const key = (await done('keys', 'create', '--user', 'ada', '--allow-shadow')).trim();
  const gateway = await open(path('.'));
  await compareThirty([gateway], 'fast', key);
  expect(await json('shadow', 'get', 'fast')).toMatchObject({ verdict: 'not_worse', rows: 30, failed: 0 });
  expect(await done('shadow', 'get', 'fast')).toMatch(
    /^verdict +not worse with 95%\nrequests +30, of which the candidate failed 0$[^]*^preference +30 +0\.000 +1\.000 +\+1\.000 +\+0\.\d+ to \+1\.000 +not_worse$/m,
  );
  expect(await done('shadow', 'promote', 'fast')).toBe('Alias fast now has the target openai:candidate.\n');
  // The running gateway applies the change within a second.
  await expect.poll(() => textOf(gateway, 'fast', key), { timeout: 60_000 }).toBe('a good response');
  expect(await json('shadow', 'list')).toMatchObject([
    { alias: 'fixed', current: true },
    { alias: 'fast', current: false, verdict: 'not_worse' },
  ]);
  // Requests before that are compared, too.
  expect(await done('shadow', 'list')).toMatch(
    /^fast \(ended\) +shadow +openai:candidate +\d+ +not worse with 95% /m,
  );
});
