import type { Clock } from '#platform/clock.ts';
import type { Store } from '../../store/store.ts';

/** Codes redeemed on any gateway that uses this database. */
export interface RedeemedCodes {
  /** Whether this is the first request that redeems the code. */
  redeem(id: string, expiresAt: number): Promise<boolean>;
}

export const createRedeemedCodes = ({ db }: Pick<Store, 'db'>, clock: Pick<Clock, 'now'>): RedeemedCodes => ({
  redeem: async (id, expiresAt) =>
    await db.transaction().execute(async (trx) => {
      // Expired codes are rejected without this table.
      await trx
        .deleteFrom('gateway_sign_in_codes')
        .where('expires_at', '<=', Math.floor(clock.now()))
        .execute();
      const { numInsertedOrUpdatedRows: added = 0n } = await trx
        .insertInto('gateway_sign_in_codes')
        .values({ id, expires_at: Math.ceil(expiresAt) })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      return added > 0n;
    }),
});
