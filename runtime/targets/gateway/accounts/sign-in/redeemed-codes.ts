import type { Clock } from '#platform/clock.ts';
import type { Store } from '../../store/store.ts';

/** Codes that were redeemed on any gateway of the database. */
export interface RedeemedCodes {
  /** Whether this is the first request that redeems the code. */
  redeem(id: string, expiresAt: number): Promise<boolean>;
}

export const createRedeemedCodes = ({ db }: Pick<Store, 'db'>, clock: Pick<Clock, 'now'>): RedeemedCodes => ({
  redeem: async (id, expiresAt) =>
    await db.transaction().execute(async (trx) => {
      // Codes that have expired are rejected without this table.
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
