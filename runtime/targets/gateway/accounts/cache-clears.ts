import type { Clock } from '#platform/clock.ts';
import type { FollowedRevision } from '../store/followed-revision.ts';
import type { Store } from '../store/store.ts';

/** When a response was created, and by which key. */
interface CreatedAnswer {
  readonly keyId: string | null;
  readonly createdAt: number;
}

/**
 * When the cache was cleared. Gateways also have responses in memory, and notice the change by the database
 * revision.
 */
export interface CacheClears {
  /** Deletes all responses, or those created by one key's requests. Returns how many were in the database. */
  clear(keyId?: string): Promise<number>;
  /** Whether a response was created before its cache was cleared. */
  isCleared(entry: CreatedAnswer): Promise<boolean>;
}

/** Used instead of a key ID, for the whole cache. */
const ALL = '';

export function createCacheClears(
  { db }: Pick<Store, 'db'>,
  revision: FollowedRevision,
  clock: Pick<Clock, 'now'>,
): CacheClears {
  let known: ReadonlyMap<string, number> = new Map();
  let asOf = -1;
  return {
    clear: async (keyId) =>
      await revision.change(async (trx, note) => {
        const clearedAt = Math.floor(clock.now());
        const row = { api_key_id: keyId ?? ALL, cleared_at: clearedAt };
        // Clearing the whole cache supersedes earlier clears of single keys.
        if (keyId === undefined) await trx.deleteFrom('gateway_cache_clears').execute();
        await trx
          .insertInto('gateway_cache_clears')
          .values(row)
          .onConflict((conflict) => conflict.column('api_key_id').doUpdateSet({ cleared_at: clearedAt }))
          .execute();
        const { numDeletedRows } = await trx
          .deleteFrom('gateway_answers')
          .$if(keyId !== undefined, (query) => query.where('api_key_id', '=', keyId ?? ALL))
          .executeTakeFirstOrThrow();
        const deleted = Number(numDeletedRows);
        note('cache.clear', keyId, { after: { deleted } });
        return deleted;
      }),
    async isCleared({ keyId, createdAt }) {
      const current = await revision.current();
      if (current !== asOf) {
        const rows = await db.selectFrom('gateway_cache_clears').selectAll().execute();
        known = new Map(rows.map((row) => [row.api_key_id, row.cleared_at]));
        asOf = current;
      }
      return [ALL, keyId ?? ALL].some((key) => createdAt <= (known.get(key) ?? -1));
    },
  };
}
