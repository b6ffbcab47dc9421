import { setTimeout as sleep } from 'node:timers/promises';
import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import { dollarsOf } from '#gateway/shared/money.ts';
import { describeDatabases, type TestDatabase } from '../../runtime/targets/gateway/databases.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { verifiesOnce } from '../verifies.ts';
import { createKey } from './chat.ts';
import { AS_MASTER, providersFor } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';
import { askOnce, COST, PRICING, someAnswers, spend } from './spending-clients.ts';
import type { RunningProcess } from '../started-processes.ts';

/** `KILLS=50` runs the full test; by default there are only a few kills. */
const KILLS = Number(process.env['KILLS'] ?? 5);
const CLIENTS = 12;
const SMALL_BUDGET = COST * BigInt(10 * KILLS);

const { start } = useGatewayProcesses();
const openai = await startFixture('openai');
const files = { config: { providers: providersFor({ openai }), pricing: PRICING } };

/** A user with a budget, and a key of that user. */
async function newKey(
  api: RunningProcess,
  userId: string,
  budget: bigint,
  key: object = {},
): Promise<string> {
  const { body } = await api.post('/v1/budgets', { max_budget: dollarsOf(budget) }, AS_MASTER);
  await api.post('/v1/users', { user_id: userId, budget_id: body.budget_id }, AS_MASTER);
  return await createKey(api, { user_id: userId, ...key });
}

/** One request at a time; a leaked reservation would prevent spending the last of the budget. */
async function spendTheRest({ url }: RunningProcess, key: string): Promise<void> {
  let status = 200;
  while (status === 200) ({ status } = await askOnce(url, key));
  expect(status).toBe(403);
}

async function end(gateway: RunningProcess): Promise<void> {
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended).toBe(0);
}

/** The contents of the database while no gateway has it open. */
async function accounts(database: TestDatabase, url: string) {
  const { db } = await database.openStore(url);
  expect(await db.selectFrom('gateway_reservations').selectAll().execute()).toEqual([]);
  const rows = await db.selectFrom('gateway_accounts').selectAll().execute();
  expect(rows.filter((row) => row.reserved_nano !== 0n || row.running !== 0)).toEqual([]);
  const usage = await db.selectFrom('gateway_usage').selectAll().execute();
  const spent = (user: string): bigint | undefined =>
    rows.find(({ id }) => id === `user:${user}`)?.spent_nano;
  const used = (user: string): bigint =>
    usage.reduce((sum, row) => sum + (row.user_id === user ? (row.cost_nano ?? 0n) : 0n), 0n);
  return { usage, spent, used };
}

/** Kills a gateway under load again and again, and compares its books with what clients and the provider have seen. */
async function killUnderLoad(database: TestDatabase, more: readonly string[]): Promise<void> {
  const url = await database.create();
  const flags = ['--database-url', url, ...more];
  const before = (await openai.counts())['requests'] ?? 0;
  let gateway = await start(files, flags);
  const rich = await newKey(gateway, 'rich', 10n ** 12n);
  const poor = await newKey(gateway, 'poor', SMALL_BUDGET);
  const clients = spend(CLIENTS, [rich, poor]);
  let lost = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    clients.ask(gateway.url);
    await clients.answers(someAnswers());
    // The kill must not always happen right after a response has arrived.
    await sleep(randomInt(0, 4));
    lost += clients.underWay();
    clients.ask(undefined);
    gateway.child.kill('SIGKILL');
    await gateway.ended;
    gateway = await start(files, flags);
  }
  clients.ask(gateway.url);
  await clients.answers(someAnswers());
  await clients.stop();
  await spendTheRest(gateway, poor);
  await end(gateway);

  // Requests in flight at a kill are billed in part, so the rest of the budget can be less than one request.
  const expected = new Set(['403 budget_exceeded', '403 estimate_exceeds_budget', '429 budget_reserved']);
  expect([...clients.refusals.keys()].filter((word) => !expected.has(word))).toEqual([]);
  const { usage, spent, used } = await accounts(database, url);
  const written = usage.map(({ request_id }) => request_id);
  expect(new Set(written).size).toBe(written.length);
  expect([...clients.answered].filter((id) => !written.includes(id))).toEqual([]);
  // All responses of the provider, except those in flight at a kill.
  const served = ((await openai.counts())['requests'] ?? 0) - before;
  const succeeded = usage.filter(({ status }) => status === 'success').length;
  expect(succeeded <= served && succeeded >= served - lost, `${succeeded} of ${served}, ${lost} lost`).toBe(
    true,
  );
  expect(spent('rich')).toBe(used('rich'));
  expect(spent('poor')).toBe(used('poor'));
  const paid = spent('poor') ?? 0n;
  // A request in flight at a kill is billed for less than a complete request.
  const isWhole = usage.every(({ status }) => status !== 'interrupted');
  expect(paid <= SMALL_BUDGET && paid > SMALL_BUDGET - (isWhole ? 1n : COST), `${paid}`).toBe(true);
  if (process.env['KILLS'])
    console.log(
      `${database.kind}: ${KILLS} kills, ${served} served, ${succeeded} written down, ${lost} under way at kills, ` +
        `${paid} spent of ${SMALL_BUDGET}`,
    );
}

describeDatabases((database) => {
  verifiesOnce('gateway-ledger:killed', async () => await killUnderLoad(database, []));
  verifiesOnce(
    'gateway-ledger:killed-threads',
    async () => await killUnderLoad(database, ['--threads', '2']),
  );

  verifiesOnce('gateway-ledger:several', async () => {
    const url = await database.create();
    const gateways = await Promise.all(
      [1, 2, 3].map(async () => await start(files, ['--database-url', url])),
    );
    const [first] = gateways;
    if (!first) throw new Error('There is no gateway.');
    const poor = await newKey(first, 'poor', COST * 60n);
    const limited = await newKey(first, 'limited', 10n ** 12n, { rpm: 40 });
    const spending = gateways.map((gateway) => {
      const clients = [spend(3, [poor]), spend(3, [limited])];
      for (const one of clients) one.ask(gateway.url);
      return clients;
    });
    const refusals = (at: number, word: string): number[] =>
      spending.map((clients) => clients[at]?.refusals.get(word) ?? 0);
    // Waits until every gateway rejects both.
    while ([...refusals(0, '403 budget_exceeded'), ...refusals(1, '429 rate_limited')].includes(0)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(spending.flat().map((one) => one.stop()));
    await spendTheRest(first, poor);
    await Promise.all(gateways.map(end));
    const { usage, spent } = await accounts(database, url);
    expect(spent('poor')).toBe(COST * 60n);
    expect(usage.filter(({ user_id }) => user_id === 'limited')).toHaveLength(40);
  });
});
