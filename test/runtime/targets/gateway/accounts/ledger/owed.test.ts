import { expect, test } from 'vitest';
import type { Store } from '#gateway/store/store.ts';
import { describeDatabases } from '../../databases.ts';
import { newSpender, used } from '../../requests.ts';

const ESTIMATE = { cost: 10n, tokens: 5, free: false };
const UNAVAILABLE = { code: 'UnavailableError', reason: 'database_unavailable' };

const rename = async ({ db }: Store, from: string, to: string): Promise<void> =>
  await db.schema.alterTable(from).renameTo(to).execute();

describeDatabases((database) => {
  test('new requests are rejected while a settlement cannot be written, and the settlement is written before the next reservation', async () => {
    // Given
    const { identity, ledger, store } = await database.start();
    const spender = await newSpender(identity, { userId: 'ada' });
    const reservation = await ledger.reserve(spender, ESTIMATE);
    // When
    await rename(store, 'gateway_usage', 'away');
    await expect(ledger.settle(reservation, used(4n))).rejects.toMatchObject(UNAVAILABLE);
    // Then
    await expect(ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject(UNAVAILABLE);
    await rename(store, 'away', 'gateway_usage');
    await ledger.release(await ledger.reserve(spender, ESTIMATE));
    expect((await ledger.quota(spender)).user).toMatchObject({ spent: 4n, reserved: 0n });
  });

  test('a settlement that can never be written does not block other reservations or settlements', async () => {
    const { identity, ledger, store, close } = await database.start();
    const spender = await newSpender(identity, { userId: 'ada' });
    const poisoned = await ledger.reserve(spender, ESTIMATE);
    await expect(ledger.settle(poisoned, used(2n ** 70n))).rejects.toMatchObject(UNAVAILABLE);
    const other = await ledger.reserve(spender, ESTIMATE);
    await rename(store, 'gateway_usage', 'away');
    await expect(ledger.settle(other, used(4n))).rejects.toMatchObject(UNAVAILABLE);
    await rename(store, 'away', 'gateway_usage');
    await ledger.release(await ledger.reserve(spender, ESTIMATE));
    expect((await ledger.quota(spender)).user).toMatchObject({ spent: 4n, reserved: 10n });
    // On close, the ledger reports unpaid settlements.
    await expect(close()).rejects.toMatchObject(UNAVAILABLE);
  });
});
