import { expect } from 'vitest';
import { describeDatabases } from '../../runtime/targets/gateway/databases.ts';
import { useReceivers, WEBHOOK_SECRET } from '../../runtime/targets/gateway/alerts/receiver.ts';
import { verifiesOnce } from '../verifies.ts';
import { askAs, PEOPLE, startTested } from './ab-traffic.ts';
import { createKey } from './chat.ts';
import { AS_MASTER } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';

const { config: models, fail } = await startTested();
const { start } = useGatewayProcesses();
const receiver = useReceivers();

describeDatabases((database) => {
  verifiesOnce('gateway-process:ab', async () => {
    fail();
    const { url, received } = await receiver();
    const config = { ...models, alerts: { webhook: { url, secret: WEBHOOK_SECRET } } };
    const flags = ['--database-url', await database.create()];
    const [first, second] = [
      await start({ config }, flags),
      await start({ config }, [...flags, '--threads', '2']),
    ];
    const key = await createKey(first, { user_id: 'app' });
    const variantsOf = async (api: typeof first) =>
      await Promise.all(PEOPLE.map(async (person) => (await askAs(api, 'fixed', key, person))[0]));
    const variants = await variantsOf(first);
    expect(await variantsOf(second)).toEqual(variants);
    await expect.poll(() => received.length, { timeout: 60_000 }).toBeGreaterThan(0);
    // The verdict can be known before the requests of the second gateway are recorded.
    const evaluation = async () => (await first.get('/v1/shadow/fixed', AS_MASTER)).body;
    await expect.poll(async () => (await evaluation()).rows, { timeout: 60_000 }).toBe(120);
    await expect.poll(async () => (await evaluation()).users.waiting, { timeout: 60_000 }).toBe(0);
    const candidates = variants.filter((variant) => variant === 'candidate').length;
    expect(await evaluation()).toMatchObject({
      verdict: 'worse',
      rows: 120,
      failed: 2 * candidates,
      users: { baseline: 60 - candidates, candidate: candidates, waiting: 0 },
      metrics: [{ name: 'success', rows: 60, baseline: 1, candidate: 0, verdict: 'worse' }],
    });
    await Promise.all([first.stop(), second.stop()]);
    expect(received.map(({ body: alert }) => alert)).toMatchObject([
      {
        type: 'shadow.verdict_reached',
        data: {
          message: expect.stringMatching(
            /^Candidate openai:candidate of alias 'fixed' is worse with 95%, after \d+ users\.$/,
          ),
          verdict: 'worse',
        },
      },
    ]);
  });
});
