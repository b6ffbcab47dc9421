import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { describeDatabases } from '../../databases.ts';

const PROGRAM = join(import.meta.dirname, 'spending-process.ts');
const PARALLEL = 8;
const KILLS = 10;

interface Report {
  readonly settled: bigint;
  readonly last: string;
}

/** Runs a process that spends; `onLine` receives each line and the number of `settled` lines so far. */
async function run(
  url: string,
  userId: string,
  onLine: (settlements: number, child: ChildProcess) => void = () => {},
): Promise<Report> {
  const child = spawn(process.execPath, [PROGRAM, url, userId, String(PARALLEL)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let settled = 0n;
  let settlements = 0;
  let last = '';
  for await (const line of createInterface({ input: child.stdout })) {
    last = line;
    const [, cost] = /^settled (\d+)$/.exec(line) ?? [];
    if (cost !== undefined) {
      settled += BigInt(cost);
      settlements += 1;
    }
    onLine(settlements, child);
  }
  await ended;
  return { settled, last };
}

describeDatabases((database) => {
  test('several processes share one budget without exceeding it', async () => {
    const { identity, budgets, usage, url, close } = await database.start();
    const { budgetId } = await budgets.create({ maxBudget: 2000n });
    await identity.users.create({ userId: 'ada', budgetId });
    const reports = await Promise.all([1, 2, 3].map(async () => await run(url, 'ada')));
    // The rest can be reserved by another process, or be too small for one request.
    for (const { last } of reports)
      expect(last).toMatch(/^done (budget_exceeded|budget_reserved|estimate_exceeds_budget)$/);
    const spent = reports.reduce((sum, { settled }) => sum + settled, 0n);
    expect(spent >= 2000n - 10n * BigInt(PARALLEL * 3) && spent <= 2000n, `${spent}`).toBe(true);
    expect(await identity.users.get('ada')).toMatchObject({ spent, reserved: 0n });
    expect((await usage.totals({ userId: 'ada' })).cost).toBe(spent);
    await close();
  });

  test(`killing a spending process ${KILLS} times keeps all reported usage and leaves no reservations`, async () => {
    const { identity, usage, store, url } = await database.start();
    await identity.users.create({ userId: 'ada' });
    let reported = 0n;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { settled, last } = await run(url, 'ada', (settlements, child) => {
        // Slightly later each time, to cover different moments.
        if (settlements >= 15 + kill * 7) child.kill('SIGKILL');
      });
      expect(last).not.toMatch(/^done/);
      reported += settled;
    }
    // The next process that opens the database detects the dead ones and releases their reservations.
    const survivor = await database.open(url, { clock: systemClock });
    expect(await survivor.store.db.selectFrom('gateway_reservations').selectAll().execute()).toEqual([]);
    const { cost } = await usage.totals({ userId: 'ada' });
    const inFlight = 10n * BigInt(PARALLEL * KILLS);
    expect(
      reported > 0n && cost >= reported && cost <= reported + inFlight,
      `${cost} kept, ${reported} reported`,
    ).toBe(true);
    expect(await identity.users.get('ada')).toMatchObject({ spent: cost, reserved: 0n });
    const account = await store.db
      .selectFrom('gateway_accounts')
      .selectAll()
      .where('id', '=', 'user:ada')
      .executeTakeFirst();
    expect(account).toMatchObject({ running: 0 });
  });
});
