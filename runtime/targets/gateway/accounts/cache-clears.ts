import type { Clock } from '#platform/clock.ts';
import type { FollowedRevision } from '../store/followed-revision.ts';
import type { Store } from '../store/store.ts';

/** When an answer was created, and by which key. */
interface CreatedAnswer {
  readonly keyId: string | null;
  readonly createdAt: number;
}

/** When the cache was cleared. Gateways have answers in memory, too, and notice it by the revision of the database. */
export interface CacheClears {
  /** Deletes all answers, or those that requests of one key have created. Returns how many were in the database. */
  clear(keyId?: string): Promise<number>;
  /** Whether an answer was created before its cache was cleared. */
  isCleared(entry: CreatedAnswer): Promise<boolean>;
}

/** In place of the id of a key, for the whole cache. */
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
        // A cleared cache has no older answers of any key.
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
