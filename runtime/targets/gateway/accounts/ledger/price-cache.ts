import type { Kysely } from 'kysely';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { PriceRow, Schema } from '../../store/schema.ts';
import type { Price, Prices } from './ledger.ts';

/** Caches all prices, which are a few hundred at most, and reads them again when the database has changed. */
export function createPriceCache(
  db: Kysely<Schema>,
  revision: FollowedRevision,
  priceOf: (row: PriceRow) => Price,
): Prices['at'] {
  let known: ReadonlyMap<string, readonly Price[]> = new Map();
  let asOf = -1;
  return async (modelKey, time) => {
    const current = await revision.current();
    if (current !== asOf) {
      const rows = await db
        .selectFrom('gateway_prices')
        .selectAll()
        .orderBy('effective_at', 'desc')
        .execute();
      known = Map.groupBy(rows.map(priceOf), (price) => price.modelKey);
      asOf = current;
    }
    return known.get(modelKey)?.find(({ effectiveAt }) => effectiveAt <= time);
  };
}
