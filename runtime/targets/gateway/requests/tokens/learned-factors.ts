import type { Clock } from '#platform/clock.ts';
import { repeat } from '../../accounts/ledger/repeat.ts';
import { storableText } from '../../store/storable-text.ts';
import type { Store } from '../../store/store.ts';
import { createLearnedFactors, factorKey, type LearnedFactors, MAX_LEARNED } from './token-counter.ts';

/** Learned factors, which are stored in the database so that they survive a restart. */
export interface StoredFactors extends LearnedFactors {
  /** Writes the remaining factors, then stops. */
  readonly close: () => Promise<void>;
}

const WRITE_INTERVAL_MS = 60_000;
/** Factors of models that have not been used for this long are deleted. */
const MAX_AGE_MS = 90 * 86_400_000;
const MILLION = 1_000_000;

interface FactorOptions {
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Whether to delete the factors of models that are no longer used. */
  readonly forgetsOld: boolean;
}

/** Reads the factors from the database, and writes new ones once per minute, so that no request waits for it. */
export async function openLearnedFactors(
  { db }: Pick<Store, 'db'>,
  { clock, onError, forgetsOld }: FactorOptions,
): Promise<StoredFactors> {
  const factors = createLearnedFactors();
  let unwritten = new Map<
    string,
    { readonly model: string; readonly script: string; readonly factor: number }
  >();

  if (forgetsOld)
    await db
      .deleteFrom('gateway_token_factors')
      .where('updated_at', '<', Math.floor(clock.now()) - MAX_AGE_MS)
      .execute();
  const rows = await db
    .selectFrom('gateway_token_factors')
    .selectAll()
    .orderBy('updated_at', 'desc')
    .limit(MAX_LEARNED)
    .execute();
  for (const { model, script, factor_millionths: factor } of rows)
    factors.set(model, script, factor / MILLION);

  const write = async (): Promise<void> => {
    const now = unwritten;
    if (now.size === 0) return;
    unwritten = new Map();
    const updated_at = Math.floor(clock.now());
    await db.transaction().execute(async (trx) => {
      // Sorted, so that all processes lock the rows in the same order and cannot deadlock.
      for (const [, { model, script, factor }] of [...now].sort(([one], [other]) => (one < other ? -1 : 1))) {
        const values = { factor_millionths: Math.round(factor * MILLION), updated_at };
        await trx
          .insertInto('gateway_token_factors')
          .values({ model: storableText(model), script, ...values })
          .onConflict((conflict) => conflict.columns(['model', 'script']).doUpdateSet(values))
          .execute();
      }
    });
  };
  const writing = repeat(clock, WRITE_INTERVAL_MS, write, onError);
  return {
    get: factors.get,
    set(model, script, factor) {
      factors.set(model, script, factor);
      // Factors dropped from memory are still in the database.
      if (unwritten.size < MAX_LEARNED) unwritten.set(factorKey(model, script), { model, script, factor });
    },
    close: async () => {
      await writing.stop();
      await write().catch(onError);
    },
  };
}
