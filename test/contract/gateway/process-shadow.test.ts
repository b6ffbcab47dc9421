import { expect } from 'vitest';
import { describeDatabases } from '../../runtime/targets/gateway/databases.ts';
import { useReceivers, WEBHOOK_SECRET } from '../../runtime/targets/gateway/alerts/receiver.ts';
import { verifiesOnce } from '../verifies.ts';
import { createKey } from './chat.ts';
import { AS_MASTER } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';
import { compareThirty, SHADOW, startEvaluated } from './shadow-traffic.ts';

const models = await startEvaluated();
const { start } = useGatewayProcesses();
const receiver = useReceivers();

describeDatabases((database) => {
  verifiesOnce('gateway-process:shadow', async () => {
    const { url, received } = await receiver();
    const config = { ...models, alerts: { webhook: { url, secret: WEBHOOK_SECRET } } };
    const flags = ['--database-url', await database.create()];
    const [first, second] = [await start({ config }, flags), await start({ config }, flags)];
    await first.post('/v1/users', { user_id: 'evaluation' }, AS_MASTER);
    const key = await createKey(first, { user_id: 'ada', allow_shadow: true });
    const evaluation = await compareThirty([first, second], 'fixed', key);
    expect(evaluation).toMatchObject({ verdict: 'not_worse', rows: 30, skipped: {} });
    await expect.poll(() => received.length, { timeout: 60_000 }).toBeGreaterThan(0);
    // Its user pays for 30 responses of the candidate and 60 of the judge.
    const usage = async () => (await second.get('/v1/users/evaluation/usage?limit=1000', AS_MASTER)).body;
    await expect.poll(async () => (await usage()).length, { timeout: 60_000 }).toBe(90);
    await Promise.all([first.stop(), second.stop()]);
    expect(received.map(({ body }) => body)).toEqual([
      {
        type: 'shadow.verdict_reached',
        timestamp: expect.any(String),
        data: {
          id: expect.any(String),
          message: expect.stringMatching(
            /^Candidate openai:candidate of alias 'fixed' is not worse with 95%, after \d+ requests\.$/,
          ),
          alias: 'fixed',
          candidate: SHADOW.model,
          trial: expect.any(String),
          verdict: 'not_worse',
          rows: expect.any(Number),
        },
      },
    ]);
  });
});
