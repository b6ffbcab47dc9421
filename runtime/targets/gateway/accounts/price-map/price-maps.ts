import type { Kysely } from 'kysely';
import { inputError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Clock } from '#platform/clock.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { Schema } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import type { PriceMapFile } from './map-file.ts';
import { createPriceMap, type ListedPrice, type PriceMap } from './price-map.ts';

/** The price map in use: the one stored with `gateway pricing update`, or a newer one shipped with the program. */
export interface PriceMaps {
  /** The published price of a provider's model. */
  find(provider: string, model: string): Promise<ListedPrice | undefined>;
  current(): Promise<PriceMap>;
  /**
   * Replaces the stored map. Gateways with the same database use it within a second. Throws an InputError if
   * it is older than the program's map, which would apply instead.
   */
  store(map: PriceMapFile): Promise<void>;
  /** Removes the stored map, so that the program's map applies. */
  reset(): Promise<void>;
}

const ROW = 1;

export function createPriceMaps(
  { db }: Pick<Store, 'db'>,
  revision: FollowedRevision,
  clock: Clock,
): PriceMaps {
  let bundled: Promise<PriceMap> | undefined;
  let stored: { readonly updatedAt: number; readonly map: PriceMap } | undefined;
  let asOf = -1;
  let loading: Promise<void> | undefined;

  /** Rereads the stored map if it was replaced. */
  const load = async (current: number): Promise<void> => {
    const head = await headOf(db);
    if (head?.updated_at !== stored?.updatedAt) stored = head && (await contentOf(db));
    asOf = current;
  };
  const shipped = (): Promise<PriceMap> =>
    (bundled ??= import('./bundled-map.ts').then(({ readBundledMap }) => createPriceMap(readBundledMap())));
  const current = async (): Promise<PriceMap> => {
    const now = await revision.current();
    if (asOf < now) {
      loading ??= load(now).finally(() => (loading = undefined));
      await loading;
      // A read that started before this revision may have read an older map.
      return await current();
    }
    const own = await shipped();
    return stored && stored.map.date >= own.date ? stored.map : own;
  };
  return {
    current,
    find: async (provider, model) => (await current()).find(provider, model),
    store: async ({ date, source, ...map }) => {
      const { date: newest } = await shipped();
      if (date < newest)
        throw inputError(
          `The map has prices from ${date}, but the built-in prices are newer (${newest}) and apply instead. Use a newer map.`,
        );
      await revision.change(async (trx, note) => {
        // Two maps stored in the same millisecond must not look the same.
        const before = (await headOf(trx))?.updated_at ?? 0;
        const row = {
          id: ROW,
          date,
          source,
          updated_at: Math.max(Math.floor(clock.now()), before + 1),
          content: JSON.stringify({ ...map, date, source }),
        };
        await trx
          .insertInto('gateway_price_map')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
          .execute();
        note('price_map.set', undefined, { after: { date, source } });
      });
    },
    reset: async () =>
      await revision.change(async (trx, note) => {
        note('price_map.reset', undefined, {});
        await trx.deleteFrom('gateway_price_map').execute();
      }),
  };
}

const headOf = async (db: Kysely<Schema>) =>
  await db.selectFrom('gateway_price_map').select('updated_at').executeTakeFirst();

async function contentOf(db: Kysely<Schema>) {
  const row = await db.selectFrom('gateway_price_map').select(['updated_at', 'content']).executeTakeFirst();
  // It was validated before it was stored.
  return (
    row && { updatedAt: row.updated_at, map: createPriceMap(parseJsonText(row.content) as PriceMapFile) }
  );
}
