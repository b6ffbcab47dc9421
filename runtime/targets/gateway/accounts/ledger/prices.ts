import type { Kysely, Transaction } from 'kysely';
import { inputError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { notFound } from '../identity/checks.ts';
import type { Store } from '../../store/store.ts';
import type { FollowedRevision, NoteChange } from '../../store/followed-revision.ts';
import type { PriceRow, Schema } from '../../store/schema.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { NewPrice, Price, Prices } from './ledger.ts';
import { unitRatesFromText, unitRatesToText } from './price-units.ts';
import { tierProblem, tiersFromText, tiersToText } from './price-tiers.ts';

export function createPrices({ db }: Store, revision: FollowedRevision, clock: Clock): Prices {
  const now = (): number => Math.floor(clock.now());
  return {
    set: async (price) =>
      await revision.change(async (trx, note) => await putPrice(trx, price, { now: now(), note })),
    setAll: async (prices) =>
      await revision.change(async (trx, note) => {
        for (const price of prices) await putPrice(trx, price, { now: now(), note });
      }),
    seed: async (prices) => {
      prices.forEach(checkPrice);
      const known = new Set(
        (await db.selectFrom('gateway_prices').select('model_key').distinct().execute()).map(
          (row) => row.model_key,
        ),
      );
      const missing = prices.filter(({ modelKey }) => !known.has(modelKey));
      if (missing.length > 0)
        await revision.change(async (trx, note) => await addMissing(trx, missing, { now: now(), note }));
    },
    list: async ({ skip, limit }) => {
      const rows = await db
        .selectFrom('gateway_prices as price')
        .selectAll()
        .where('effective_at', '=', (inner) =>
          inner
            .selectFrom('gateway_prices as other')
            .select((row) => row.fn.max('other.effective_at').as('newest'))
            .whereRef('other.model_key', '=', 'price.model_key')
            .where('other.effective_at', '<=', now()),
        )
        .orderBy('model_key')
        .limit(limit)
        .offset(skip)
        .execute();
      return rows.map(priceOf);
    },
    get: async (modelKey) => {
      const time = now();
      const price = (await historyOf(db, modelKey)).find(({ effectiveAt }) => effectiveAt <= time);
      return price ?? missing(modelKey);
    },
    history: async (modelKey) => {
      const all = await historyOf(db, modelKey);
      return all.length > 0 ? all : missing(modelKey);
    },
    delete: async (modelKey) =>
      await revision.change(async (trx, note) => {
        const history = await historyOf(trx, modelKey);
        if (history.length === 0) missing(modelKey);
        note('price.delete', modelKey, { before: { prices: history } });
        await trx.deleteFrom('gateway_prices').where('model_key', '=', modelKey).execute();
      }),
    ...createPriceCache(db, revision),
  };
}

interface PriceChange {
  readonly now: number;
  readonly note: NoteChange;
}

async function putPrice(
  trx: Transaction<Schema>,
  price: NewPrice,
  { now, note }: PriceChange,
): Promise<Price> {
  checkPrice(price);
  const row = rowOf(price, now);
  const before = (await historyOf(trx, price.modelKey)).find(
    ({ effectiveAt }) => effectiveAt <= row.effective_at,
  );
  await trx
    .insertInto('gateway_prices')
    .values(row)
    .onConflict((conflict) => conflict.columns(['model_key', 'effective_at']).doUpdateSet(row))
    .execute();
  const after = priceOf(row);
  note('price.set', price.modelKey, { before, after });
  return after;
}

/**
 * Adds prices for models without one. Checks this again here, because another process may have added one in
 * the meantime.
 */
async function addMissing(
  trx: Transaction<Schema>,
  prices: readonly NewPrice[],
  { now, note }: PriceChange,
): Promise<void> {
  for (const price of prices) {
    if ((await historyOf(trx, price.modelKey)).length > 0) continue;
    const row = rowOf(price, now);
    await trx.insertInto('gateway_prices').values(row).execute();
    note('price.set', price.modelKey, { after: priceOf(row) });
  }
}

async function historyOf(db: Kysely<Schema>, modelKey: string): Promise<Price[]> {
  if (!isStorable(modelKey)) return [];
  const rows = await db
    .selectFrom('gateway_prices')
    .selectAll()
    .where('model_key', '=', modelKey)
    .orderBy('effective_at', 'desc')
    .execute();
  return rows.map(priceOf);
}

const rowOf = (price: NewPrice, now: number): PriceRow => ({
  model_key: price.modelKey,
  effective_at: price.effectiveAt ?? now,
  input_nano: price.input,
  cached_input_nano: price.cachedInput,
  output_nano: price.output,
  created_at: now,
  cache_write_nano: price.cacheWrite ?? null,
  cache_write_1h_nano: price.cacheWrite1h ?? null,
  tiers: tiersToText(price.tiers),
  units: unitRatesToText(price.units),
});

const priceOf = (row: PriceRow): Price => ({
  modelKey: row.model_key,
  effectiveAt: row.effective_at,
  input: row.input_nano,
  cachedInput: row.cached_input_nano,
  output: row.output_nano,
  cacheWrite: row.cache_write_nano,
  cacheWrite1h: row.cache_write_1h_nano,
  tiers: tiersFromText(row.tiers),
  units: unitRatesFromText(row.units),
});

function checkPrice(price: NewPrice): void {
  const { modelKey, tiers = [] } = price;
  if (modelKey === '' || !isStorable(modelKey)) {
    throw inputError(`Invalid model_key ${JSON.stringify(modelKey)}. Use the format \`provider:model\`.`);
  }
  const amounts = [price, ...tiers].flatMap(({ input, output, cachedInput, cacheWrite, cacheWrite1h }) => [
    input,
    output,
    cachedInput ?? 0n,
    cacheWrite ?? 0n,
    cacheWrite1h ?? 0n,
  ]);
  if ([...amounts, ...Object.values(price.units ?? {})].some((amount) => amount < 0n)) {
    throw inputError(`${modelKey} has a negative price; prices must be 0 or more.`);
  }
  const problem = tierProblem(price);
  if (problem !== undefined) throw inputError(`Invalid price of ${modelKey}: ${problem}`);
}

function missing(modelKey: string): never {
  throw notFound(`Pricing for model '${modelKey}' not found`, 'pricing_not_found');
}

/** Caches all prices, a few hundred at most, and rereads them when the database has changed. */
function createPriceCache(
  db: Kysely<Schema>,
  revision: FollowedRevision,
): Pick<Prices, 'at' | 'period' | 'revision'> {
  let known: ReadonlyMap<string, readonly Price[]> = new Map();
  let asOf = -1;
  const load = async (): Promise<typeof known> => {
    const current = await revision.current();
    if (current === asOf) return known;
    const rows = await db.selectFrom('gateway_prices').selectAll().orderBy('effective_at', 'desc').execute();
    const loaded = Map.groupBy(rows.map(priceOf), (price) => price.modelKey);
    if (current > asOf) [known, asOf] = [loaded, current];
    return loaded;
  };
  const read = <Value>(use: (prices: typeof known) => Value): Value | Promise<Value> =>
    revision.current() === asOf ? use(known) : load().then(use);
  return {
    revision: revision.current,
    at: (modelKey, time) => read((all) => all.get(modelKey)?.find(({ effectiveAt }) => effectiveAt <= time)),
    period: (modelKey, time) =>
      read((all) => {
        const history = all.get(modelKey) ?? [];
        const place = history.findIndex(({ effectiveAt }) => effectiveAt <= time);
        const later = place === -1 ? history.at(-1) : history[place - 1];
        return { from: history[place]?.effectiveAt ?? -Infinity, until: later?.effectiveAt ?? Infinity };
      }),
  };
}
