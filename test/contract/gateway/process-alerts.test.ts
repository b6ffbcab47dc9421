import { expect, vi } from 'vitest';
import { describeDatabases } from '../../runtime/targets/gateway/databases.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { useReceivers, WEBHOOK_SECRET } from '../../runtime/targets/gateway/alerts/receiver.ts';
import { verifiesOnce } from '../verifies.ts';
import { createKey } from './chat.ts';
import { AS_MASTER, providersFor } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';
import { askOnce, COST, PRICING } from './spending-clients.ts';

const { start } = useGatewayProcesses();
const openai = await startFixture('openai');
const receiver = useReceivers();

describeDatabases((database) => {
  verifiesOnce('gateway-ledger:alerts', async () => {
    const { url: to, received } = await receiver();
    const webhook = { url: to, secret: WEBHOOK_SECRET };
    const alerts = { thresholds: [50, 100], webhook };
    const files = { config: { providers: providersFor({ openai }), pricing: PRICING, alerts } };
    const flags = ['--database-url', await database.create()];
    const first = await start(files, flags);
    const { body } = await first.post('/v1/budgets', { max_budget: Number(2n * COST) / 1e9 }, AS_MASTER);
    await first.post('/v1/users', { user_id: 'ada', budget_id: body.budget_id }, AS_MASTER);
    const key = await createKey(first, { user_id: 'ada' });
    expect([(await askOnce(first.url, key)).status, (await askOnce(first.url, key)).status]).toEqual([
      200, 200,
    ]);
    expect((await askOnce(first.url, key)).status).toBe(403);
    first.child.kill('SIGKILL');
    await first.ended;
    const later = await Promise.all([start(files, flags), start(files, flags)]);
    await vi.waitFor(
      async () => {
        const [gateway] = later;
        const { body: sent } = (await gateway?.get('/v1/alerts?state=sent', AS_MASTER)) ?? { body: [] };
        expect(sent).toHaveLength(3);
      },
      { timeout: 20_000, interval: 50 },
    );
    const messages = received.map(({ body: { type, data } }) => `${type} ${data.threshold}`);
    expect(messages.toSorted()).toEqual([
      'budget.request_refused null',
      'budget.threshold_reached 100',
      'budget.threshold_reached 50',
    ]);
  });
});
