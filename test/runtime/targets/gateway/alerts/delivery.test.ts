import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { describeDatabases } from '../databases.ts';
import { newSpender, used } from '../requests.ts';
import { deliveryOf } from './delivery.ts';
import { useReceivers, WEBHOOK_SECRET } from './receiver.ts';

const receiver = useReceivers();
const PAGE = { skip: 0, limit: 100 };
const alertPolicy = () => ({ thresholds: [50, 80] });

describeDatabases((database) => {
  const start = async () => {
    const url = await database.create();
    const state = await database.open(url, { alertPolicy });
    const { budgetId } = await state.budgets.create({ maxBudget: 10_000_000_000n });
    await state.identity.users.create({ userId: 'ada', budgetId });
    const spender = await newSpender(state.identity, { userId: 'ada' });
    await state.ledger.bill(spender, used(8_020_000_000n));
    /** Makes all waiting alerts due, as if the time had passed. */
    const becomeDue = async (): Promise<void> =>
      void (await state.store.db.updateTable('gateway_alerts').set({ next_attempt_at: 0 }).execute());
    return { ...state, url, becomeDue };
  };

  test('gateways that share a database send each alert only once, with a signature', async () => {
    const { url, ...one } = await start();
    const other = await database.open(url, { alertPolicy });
    const { url: to, received } = await receiver();
    const deliveries = [deliveryOf(one, to), deliveryOf(other, to)];
    await Promise.all(deliveries.map(({ run }) => run()));
    await Promise.all(deliveries.map(({ run }) => run()));
    expect(new Set(received.map(({ body }) => body.data.threshold))).toEqual(new Set([50, 80]));
    expect(received).toHaveLength(2);
    expect(deliveries.flatMap(({ counted }) => counted)).toEqual(['sent', 'sent']);
    const message = received.find(({ body }) => body.data.threshold === 80);
    const {
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': signature,
    } = message?.headers ?? {};
    const key = Buffer.from(WEBHOOK_SECRET.slice(6), 'base64');
    const expected = createHmac('sha256', key).update(`${String(id)}.${String(seconds)}.${message?.text}`);
    expect(signature).toBe(`v1,${expected.digest('base64')}`);
    expect(message?.body).toMatchObject({
      type: 'budget.threshold_reached',
      data: {
        id,
        message: "User 'ada' has spent $8.02 of a budget of $10, which is at least 80%.",
        account: { type: 'user', id: 'ada' },
        spend: 8.02,
        max_budget: 10,
      },
    });
    expect((await one.alerts.list(PAGE, 'sent')).length).toBe(2);
  });

  test('a failed webhook delivery is retried up to ten times', async () => {
    const state = await start();
    const { url: to, received, statuses } = await receiver();
    const delivery = deliveryOf(state, to);
    // Redirects are not followed.
    statuses.push(500, 302);
    await delivery.run();
    await delivery.run();
    expect(received.length).toBe(2);
    expect((await state.alerts.list(PAGE, 'pending')).map(({ problem }) => `${problem}`).toSorted()).toEqual([
      'HTTP 302',
      'HTTP 500',
    ]);
    statuses.push(204, ...Array.from({ length: 20 }, () => 503));
    for (let attempt = 0; attempt < 12; attempt += 1) {
      await state.becomeDue();
      await delivery.run();
    }
    const [failed] = await state.alerts.list(PAGE, 'failed');
    expect(failed).toMatchObject({ attempts: 10, problem: 'HTTP 503', sent_at: null });
    expect((await state.alerts.list(PAGE, 'sent')).map(({ attempts }) => attempts)).toEqual([2]);
    expect(received.length).toBe(12);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    expect(delivery.counted.toSorted()).toEqual([
      'failed',
      ...Array.from({ length: 10 }, () => 'retried'),
      'sent',
    ]);
    expect(JSON.stringify(delivery.logged)).not.toMatch(/whsec_|key=1/);
  });

  test('if a gateway is killed while delivering an alert, another gateway sends it', async () => {
    const state = await start();
    const { url: to, received } = await receiver();
    for (const alert of await state.alerts.due()) expect(await state.alerts.lease(alert)).toBe(true);
    const delivery = deliveryOf(state, to);
    await delivery.run();
    expect(received).toEqual([]);
    await state.becomeDue();
    await delivery.run();
    expect(received.length).toBe(2);
  });

  test('webhooks with private addresses are blocked by default', async () => {
    const state = await start();
    const { url: to, received } = await receiver();
    for (const address of [to, to.replace('127.0.0.1', 'localhost')]) {
      await state.becomeDue();
      await deliveryOf(state, address, false).run();
    }
    expect(received).toEqual([]);
    expect((await state.alerts.list(PAGE))[0]?.problem).toMatch(
      /has the address 127\.0\.0\.1, which is not public/,
    );
  });
});
