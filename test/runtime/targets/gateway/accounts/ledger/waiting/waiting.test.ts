import { expect, test } from 'vitest';
import type { Ledger, Reservation } from '#gateway/accounts/ledger/ledger.ts';
import { waitTermsOf } from '#gateway/accounts/ledger/waiting/wait-terms.ts';
import { permitNewKey } from '#gateway/accounts/identity/key-policy.ts';
import type { NewKey } from '#gateway/accounts/fields/keys.ts';
import type { Identity, Spender } from '#gateway/accounts/identity/identity.ts';
import { AppError } from '#contract/errors.ts';
import { describeDatabases } from '../../../databases.ts';
import type { TestClock } from '../../../test-clock.ts';

const ESTIMATE = { cost: 1n, tokens: 100, free: false };
const { signal: NEVER } = new AbortController();

/** Lets the ledger's work settle while time passes. */
async function pass(clock: TestClock, milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 250) {
    clock.advance(250);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

async function keyOf(identity: Identity, userId: string, changes: Partial<NewKey>) {
  const { key, secret } = await identity.keys.create({ userId, ...changes });
  const caller = await identity.authenticate({
    get: (name) => (name === 'authorization' ? `Bearer ${secret}` : null),
  });
  return { key, spender: await identity.spender(caller, undefined) };
}

interface Waiting {
  readonly promise: Promise<Reservation>;
  readonly state: () => 'waiting' | 'admitted' | 'rejected';
}

function waiting(ledger: Ledger, spender: Spender, signal = NEVER): Waiting {
  let state: 'waiting' | 'admitted' | 'rejected' = 'waiting';
  const promise = ledger.reserve(spender, ESTIMATE, undefined, { signal });
  promise.then(
    () => (state = 'admitted'),
    () => (state = 'rejected'),
  );
  return { promise, state: () => state };
}

describeDatabases((database) => {
  test('a request waits for a concurrent one of its key, and its time is reported', async () => {
    const { identity, ledger, clock } = await database.start();
    await identity.users.create({ userId: 'ann' });
    const { spender } = await keyOf(identity, 'ann', { maxParallel: 1, queueSec: 30 });
    const first = await ledger.reserve(spender, ESTIMATE, undefined, { signal: NEVER });
    expect(first.queuedMs).toBeUndefined();
    const second = waiting(ledger, spender);
    await pass(clock, 2000);
    expect(second.state()).toBe('waiting');
    await ledger.release(first);
    expect((await second.promise).queuedMs).toBeGreaterThanOrEqual(1500);
    expect((await ledger.quota(spender)).key?.parallel.used).toBe(1);
    // A caller that does not offer to wait is rejected, as before.
    await expect(ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject({ reason: 'rate_limited' });
    await ledger.release(await second.promise);
  });

  test('a request waits for the limit per minute, and only as long as its key allows', async () => {
    const { identity, ledger, clock } = await database.start();
    await identity.users.create({ userId: 'ann', rpm: 1 });
    const patient = (await keyOf(identity, 'ann', { queueSec: 120 })).spender;
    const impatient = (await keyOf(identity, 'ann', { queueSec: 3 })).spender;
    const never = (await keyOf(identity, 'ann', {})).spender;
    await ledger.release(await ledger.reserve(patient, ESTIMATE));
    const [long, short] = [waiting(ledger, patient), waiting(ledger, impatient)];
    short.promise.catch(() => undefined);
    await expect(ledger.reserve(never, ESTIMATE, undefined, { signal: NEVER })).rejects.toMatchObject({
      reason: 'rate_limited',
      message: 'Rate limit exceeded',
    });
    await pass(clock, 4000);
    await expect(short.promise).rejects.toMatchObject({
      reason: 'rate_limited',
      message: 'Rate limit exceeded. The request waited 3 s in the queue.',
    });
    expect(long.state()).toBe('waiting');
    clock.advance(60_000);
    await expect
      .poll(async () => {
        await pass(clock, 250);
        return long.state();
      })
      .toBe('admitted');
  });

  test('settings of the user, team and organization apply to keys without their own', async () => {
    const { identity, ledger, clock } = await database.start();
    await identity.organizations.create({ id: 'org', queueSec: 20, priority: 'low' });
    await identity.teams.create({ id: 'team', organizationId: 'org', maxParallel: 1 });
    for (const userId of ['ann', 'bob']) await identity.users.create({ userId });
    const low = (await keyOf(identity, 'ann', { teamId: 'team' })).spender;
    const high = (await keyOf(identity, 'bob', { teamId: 'team', priority: 'high' })).spender;
    const never = (await keyOf(identity, 'bob', { teamId: 'team', queueSec: 0 })).spender;
    const first = await ledger.reserve(low, ESTIMATE);
    const lows = Array.from({ length: 3 }, () => waiting(ledger, low));
    const highs = Array.from({ length: 2 }, () => waiting(ledger, high));
    await expect(ledger.reserve(never, ESTIMATE, undefined, { signal: NEVER })).rejects.toMatchObject({
      reason: 'rate_limited',
    });
    const count = (): number => ledger.waiting().reduce((sum, one) => sum + one.count, 0);
    await expect.poll(count, { timeout: 60_000 }).toBe(lows.length + highs.length);
    await pass(clock, 1000);
    await ledger.release(first);
    const order: string[] = [];
    const all = [...lows.map((one) => ['low', one] as const), ...highs.map((one) => ['high', one] as const)];
    const releaseInTurn = async ([name, { promise }]: (typeof all)[number]): Promise<void> => {
      const reservation = await promise;
      order.push(name);
      await ledger.release(reservation);
    };
    await Promise.all(all.map(releaseInTurn));
    await pass(clock, 500);
    // One of the low requests was first in the queue before the others arrived.
    expect(order).toHaveLength(5);
    expect(order.lastIndexOf('high')).toBeLessThan(order.lastIndexOf('low'));
    expect(order.slice(0, 3).filter((name) => name === 'high')).toHaveLength(2);
  });

  test('a key that expires or is disabled while its request waits is rejected', async () => {
    const { identity, ledger, clock } = await database.start();
    await identity.users.create({ userId: 'ann', maxParallel: 1 });
    const { key, spender } = await keyOf(identity, 'ann', { queueSec: 60 });
    const other = await keyOf(identity, 'ann', { queueSec: 60, expiresAt: clock.wholeNow() + 5000 });
    const first = await ledger.reserve(spender, ESTIMATE);
    const requests = [waiting(ledger, spender), waiting(ledger, other.spender)];
    for (const { promise } of requests) promise.catch(() => undefined);
    await pass(clock, 1000);
    await identity.keys.change(key.id, { isActive: false });
    clock.advance(5000);
    await pass(clock, 3000);
    await expect(requests[0]?.promise).rejects.toMatchObject({ reason: 'inactive_key' });
    await expect(requests[1]?.promise).rejects.toMatchObject({ reason: 'expired_key' });
    await ledger.release(first);
  });

  test('a member’s own key has at most the priority that others have set for the member', async () => {
    const { identity } = await database.start();
    await identity.teams.create({ id: 'team' });
    await identity.users.create({ userId: 'ann', priority: 'normal' });
    await keyOf(identity, 'ann', { teamId: 'team', priority: 'low' });
    const own = await keyOf(identity, 'ann', { teamId: 'team', selfMade: true, queueSec: 9 });
    expect(waitTermsOf(own.spender)).toEqual({ maxMs: 9000, priority: 'low', userId: 'ann', teamId: 'team' });
    const other = await keyOf(identity, 'ann', { queueSec: 9 });
    expect(waitTermsOf(other.spender)).toMatchObject({ priority: 'normal' });
    const refused = permitNewKey(
      {
        role: 'member',
        userId: 'ann',
        isOwn: true,
        memberships: [{ teamId: 'team', role: 'admin' }],
        origins: { user: new Map(), team: new Map() },
      } as never,
      { userId: 'ann', teamId: 'team', priority: 'high' },
      identity,
    );
    await expect(refused).rejects.toThrow('priority cannot be changed');
  });

  test('a client that disconnects, and a shutdown, leave no reservation', async () => {
    const { identity, ledger, clock } = await database.start();
    await identity.users.create({ userId: 'ann', maxParallel: 1 });
    const { spender } = await keyOf(identity, 'ann', { queueSec: 60 });
    const first = await ledger.reserve(spender, ESTIMATE);
    const gone = new AbortController();
    const left = waiting(ledger, spender, gone.signal);
    left.promise.catch(() => undefined);
    await pass(clock, 500);
    gone.abort();
    await expect(left.promise).rejects.toMatchObject({ code: 'CancelledError' });
    await ledger.release(first);
    await pass(clock, 1000);
    expect((await ledger.quota(spender)).user.parallel.used).toBe(0);
  });

  test('several gateways share a limit, whose room is found without a message', async () => {
    const { identity, ledger, clock, url } = await database.start();
    const other = await database.open(url, { clock });
    await identity.users.create({ userId: 'ann', maxParallel: 2 });
    const { spender } = await keyOf(identity, 'ann', { queueSec: 60 });
    const requests = Array.from({ length: 8 }, (_, at) => {
      const own = at % 2 === 0 ? ledger : other.ledger;
      return { own, ...waiting(own, spender) };
    });
    let most = 0;
    const done = new Set<object>();
    for (let step = 0; step < 200 && done.size < 8; step += 1) {
      await pass(clock, 250);
      const running = requests.filter((one) => one.state() === 'admitted' && !done.has(one));
      most = Math.max(most, running.length);
      const [one] = running;
      if (!one) continue;
      done.add(one);
      await one.own.release(await one.promise);
    }
    expect([done.size, most]).toEqual([8, 2]);
    const stopped = new AppError('UnavailableError', 'Stop.', { reason: 'shutting_down' });
    other.ledger.stopWaiting(stopped);
  });
});
