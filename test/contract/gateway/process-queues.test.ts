import { expect, vi } from 'vitest';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import type { RunningProcess } from '../started-processes.ts';
import { verifiesOnce } from '../verifies.ts';
import { type BegunStream, beginStream, chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, providersFor } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';

const PATIENCE = { timeout: 60_000, interval: 50 };
/** Requests reach any of the threads. */
const THREADS = ['--threads', '2'];

const { start } = useGatewayProcesses();
const openai = await startFixture('openai');
const files = { config: { providers: providersFor({ openai }) } };

/** A gateway with a team whose requests run one at a time, and one that is running. */
async function startBusy(): Promise<{ readonly gateway: RunningProcess; readonly running: BegunStream }> {
  const gateway = await start(files, THREADS);
  await gateway.post('/v1/teams', { team_id: 'team', max_parallel: 1, queue_sec: 300 }, AS_MASTER);
  const key = await createKey(gateway, { user_id: 'first', team_id: 'team' });
  return { gateway, running: await beginStream(gateway, 'openai:stall', asKey(key)) };
}

async function expectWaiting(gateway: RunningProcess, count: number): Promise<void> {
  await vi.waitFor(async () => {
    const { text } = await gateway.get('/metrics');
    const counts = [...text.matchAll(/^gateway_queue_requests\{[^}]*\} (\d+)$/gm)];
    expect(counts.reduce((sum, [, one]) => sum + Number(one), 0)).toBe(count);
  }, PATIENCE);
}

const ask = async (
  { url }: RunningProcess,
  key: string,
  signal: AbortSignal | null = null,
): Promise<{ readonly status: number; readonly text: string }> => {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...asKey(key) },
    body: JSON.stringify(chatWith('openai:good')),
    signal,
  });
  return { status: response.status, text: await response.text() };
};

verifiesOnce('gateway-process:queue-priority', async () => {
  const { gateway, running } = await startBusy();
  const low = await createKey(gateway, { user_id: 'ann', team_id: 'team', priority: 'low' });
  const high = await createKey(gateway, { user_id: 'bob', team_id: 'team', priority: 'high' });
  const order: string[] = [];
  const send = (name: string, key: string, count: number) =>
    Array.from({ length: count }, async () => {
      const { status } = await ask(gateway, key);
      order.push(`${name} ${status}`);
    });
  const lows = send('low', low, 6);
  await expectWaiting(gateway, 6);
  const highs = send('high', high, 4);
  await expectWaiting(gateway, 10);
  expect((await gateway.get('/v1/queues', AS_MASTER)).body).toMatchObject([
    { priority: 'high', requests: 4 },
    { priority: 'low', requests: 6 },
  ]);
  await openai.release();
  await running.rest;
  await Promise.all([...lows, ...highs]);
  expect(order.toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => 'high 200'),
    ...Array.from({ length: 6 }, () => 'low 200'),
  ]);
  // One low request was first in the queue before the others arrived.
  expect(order.slice(6)).toEqual(Array.from({ length: 4 }, () => 'low 200'));
});

verifiesOnce('gateway-process:queue-disconnect', async () => {
  const { gateway, running } = await startBusy();
  const key = await createKey(gateway, { user_id: 'ann', team_id: 'team' });
  const before = (await openai.counts())['requests'];
  const leaving = new AbortController();
  const left = Promise.allSettled(Array.from({ length: 5 }, () => ask(gateway, key, leaving.signal)));
  const staying = ask(gateway, key);
  await expectWaiting(gateway, 6);
  leaving.abort();
  await left;
  await expectWaiting(gateway, 1);
  await openai.release();
  await running.rest;
  expect((await staying).status).toBe(200);
  expect((await openai.counts())['requests']).toBe((before ?? 0) + 1);
  const { body: user } = await gateway.get('/v1/users/ann', AS_MASTER);
  expect(user).toMatchObject({ reserved: 0 });
});

verifiesOnce('gateway-process:queue-expiry', async () => {
  const { gateway, running } = await startBusy();
  const expires_at = new Date(Date.now() + 4000).toISOString();
  const about = { user_id: 'ann', team_id: 'team' };
  const { body: deleted } = await gateway.post('/v1/keys', about, AS_MASTER);
  const expiring = await createKey(gateway, { ...about, expires_at });
  const requests = [ask(gateway, deleted.key), ask(gateway, expiring)];
  await expectWaiting(gateway, 2);
  await gateway.ask(`/v1/keys/${deleted.id}`, { method: 'DELETE', headers: AS_MASTER });
  const [first, second] = await Promise.all(requests);
  expect([first?.status, first?.text.includes('invalid_key')]).toEqual([401, true]);
  expect([second?.status, second?.text.includes('expired_key')]).toEqual([401, true]);
  await expectWaiting(gateway, 0);
  await openai.release();
  expect(await running.rest).toContain('[DONE]');
});

verifiesOnce('gateway-process:queue-stop', async () => {
  const { gateway, running } = await startBusy();
  const key = await createKey(gateway, { user_id: 'ann', team_id: 'team' });
  const requests = [ask(gateway, key), ask(gateway, key)];
  await expectWaiting(gateway, 2);
  gateway.child.kill('SIGTERM');
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([503, 503]);
  await openai.release();
  expect(await running.rest).toMatch(/data: \[DONE\]\n\n$/);
  expect(await gateway.ended).toBe(0);
});
