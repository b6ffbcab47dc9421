import { sql, type Transaction } from 'kysely';
import type { Schema } from '../../../store/schema.ts';
import { addSpeedsText, speedsToText } from './speeds.ts';
import type { Sum } from './sum.ts';

/** Rows of one statement: databases limit the number of values. */
const ROWS_PER_STATEMENT = 200;

const KEY = ['hours', 'kind', 'scope', 'start', 'name'] as const;

/** Adds sums to those that the database has. The caller holds the lock of the sums. */
export async function writeSums(trx: Transaction<Schema>, sums: readonly Sum[]): Promise<void> {
  for (let at = 0; at < sums.length; at += ROWS_PER_STATEMENT) {
    const part = sums.slice(at, at + ROWS_PER_STATEMENT);
    await addKnownSpeeds(
      trx,
      part.filter(({ speeds }) => speeds),
    );
    await trx
      .insertInto('gateway_usage_sums')
      .values(part.map((sum) => ({ ...sum, speeds: sum.speeds ? speedsToText(sum.speeds) : null })))
      .onConflict((conflict) =>
        conflict.columns([...KEY]).doUpdateSet({
          requests: added('requests'),
          errors: added('errors'),
          prompt_tokens: added('prompt_tokens'),
          completion_tokens: added('completion_tokens'),
          cached_tokens: added('cached_tokens'),
          total_tokens: added('total_tokens'),
          cost_nano: added<bigint>('cost_nano'),
          speeds: sql<string | null>`excluded.speeds`,
        }),
      )
      .execute();
  }
}

const added = <Value = number>(name: string) =>
  sql<Value>`${sql.ref(`gateway_usage_sums.${name}`)} + ${sql.ref(`excluded.${name}`)}`;

/** Distributions are texts, so that the database cannot add them up. */
async function addKnownSpeeds(trx: Transaction<Schema>, sums: readonly Sum[]): Promise<void> {
  if (sums.length === 0) return;
  const wanted = sql.join(
    sums.map(
      // PostgreSQL does not know the types of values in a list.
      ({ hours, kind, scope, start, name }) =>
        sql`(cast(${hours} as integer), ${kind}, ${scope}, cast(${start} as bigint), ${name})`,
    ),
  );
  const known = await trx
    .selectFrom('gateway_usage_sums')
    .select([...KEY, 'speeds'])
    .where(sql<boolean>`(hours, kind, scope, start, name) in (values ${wanted})`)
    .execute();
  const byKey = new Map(sums.map((sum) => [keyOf(sum), sum]));
  for (const row of known) {
    const speeds = byKey.get(keyOf(row))?.speeds;
    if (speeds && row.speeds !== null) addSpeedsText(speeds, row.speeds);
  }
}

const keyOf = (row: Pick<Sum, (typeof KEY)[number]>): string => KEY.map((name) => row[name]).join('\0');
