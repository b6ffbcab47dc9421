import { sql, type Kysely, type Transaction } from 'kysely';
import { entriesOf } from '#core/values/keys.ts';
import { isFailedStatus } from '../../../shared/record-words.ts';
import type { UsageSumRow } from '../../../store/record-schema.ts';
import type { Schema, UsageRow } from '../../../store/schema.ts';
import { QUARTER_MS } from '../usage-zones.ts';
import {
  addQuartersText,
  type Counts,
  countsIn,
  NOTHING,
  type Quarters,
  quartersToText,
} from './quarters.ts';
import { addSpeeds, addSpeedsText, noSpeeds, type Speeds, speedsToText } from './speeds.ts';
import { DAY_SUMS, HOUR_SUMS, SCOPE_COLUMNS, scopeName, type SumKind } from './sum-scopes.ts';

/** Rows per transaction, so that requests can write in between. */
const ROWS_PER_STEP = 1000;
/**
 * Minimum age of rows before they are aggregated. A row has the time at which its request ended, and is
 * written a moment later; also, the clocks of several gateways can differ.
 */
const SETTLED_MS = 300_000;
const HOUR_MS = 3_600_000;

/** Columns of a usage row that aggregates need. */
const COLUMNS = [
  'timestamp',
  'user_id',
  'api_key_id',
  'team_id',
  'organization_id',
  'model',
  'status',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'total_tokens',
  'cost_nano',
  'cache_saved_nano',
  'latency_ms',
  'ttft_ms',
  'cache_hit',
] as const satisfies readonly (keyof UsageRow)[];
type CountedRow = Pick<UsageRow, (typeof COLUMNS)[number]>;

/**
 * Adds the next usage rows to the aggregates. Returns whether there are more. Several processes can call it
 * concurrently.
 */
export async function countUsage(db: Kysely<Schema>, now: number): Promise<boolean> {
  const end = Math.floor(now - SETTLED_MS);
  const before = await db
    .selectFrom('gateway_usage_counted')
    .select('counted_until')
    .executeTakeFirstOrThrow();
  // On an idle gateway, most calls have nothing to do, and lock nothing.
  if ((await nextRows(db, before.counted_until, end, 1)).length === 0) return false;
  return await db.transaction().execute(async (trx) => {
    // The first statement locks the row, so that no usage is counted twice.
    await trx
      .updateTable('gateway_usage_counted')
      .set({ counted_until: sql<number>`counted_until` })
      .execute();
    const { counted_until: start } = await trx
      .selectFrom('gateway_usage_counted')
      .select('counted_until')
      .executeTakeFirstOrThrow();
    const rows = await stepRows(trx, start, end);
    const last = rows.at(-1);
    if (!last) return false;
    const isFull = rows.length >= ROWS_PER_STEP;
    await writeSums(trx, sumsOf(rows));
    await trx
      .updateTable('gateway_usage_counted')
      .set({ counted_until: isFull ? last.timestamp + 1 : end })
      .execute();
    return isFull;
  });
}

const nextRows = (db: Kysely<Schema>, from: number, to: number, limit: number): Promise<CountedRow[]> =>
  db
    .selectFrom('gateway_usage')
    .select(COLUMNS)
    .where('timestamp', '>=', from)
    .where('timestamp', '<', to)
    .orderBy('timestamp')
    .limit(limit)
    .execute();

/** The next rows; a full step includes all rows of its last millisecond. */
async function stepRows(trx: Transaction<Schema>, from: number, to: number): Promise<CountedRow[]> {
  const rows = await nextRows(trx, from, to, ROWS_PER_STEP);
  const last = rows.at(-1)?.timestamp;
  if (rows.length < ROWS_PER_STEP || last === undefined) return rows;
  const whole = await trx.selectFrom('gateway_usage').select(COLUMNS).where('timestamp', '=', last).execute();
  return [...rows.filter(({ timestamp }) => timestamp < last), ...whole];
}

function sumsOf(rows: readonly CountedRow[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    addToScopes(sums, row, 1, HOUR_SUMS);
    addToScopes(sums, row, 24, DAY_SUMS);
  }
  return [...sums.values()];
}

type Scopes = Partial<Readonly<Record<keyof typeof DAY_SUMS, readonly SumKind[]>>>;

function addToScopes(sums: Map<string, Sum>, row: CountedRow, hours: number, scopes: Scopes): void {
  const length = hours * HOUR_MS;
  const start = Math.floor(row.timestamp / length) * length;
  const quarter = Math.floor((row.timestamp - start) / QUARTER_MS);
  for (const [scopeKind, kinds] of entriesOf(scopes)) {
    const id = scopeKind === 'all' ? '' : row[SCOPE_COLUMNS[scopeKind]];
    if (id === null) continue;
    const scope = scopeKind === 'all' ? '' : scopeName({ kind: scopeKind, id });
    for (const kind of kinds ?? []) {
      const name = (kind === 'model' ? row.model : row[SCOPE_COLUMNS[kind]]) ?? '';
      // No part of a name contains the separator: databases do not store it.
      const key = [hours, kind, scope, start, name].join('\0');
      let sum = sums.get(key);
      if (!sum) {
        const speeds = kind === 'model' ? noSpeeds() : undefined;
        const quarters: Quarters | undefined = hours === 24 ? new Map() : undefined;
        sums.set(key, (sum = { hours, kind, scope, start, name, ...NOTHING, speeds, quarters }));
      }
      addRow(sum, row);
      if (sum.quarters) addRow(countsIn(sum.quarters, quarter), row);
      if (sum.speeds) addSpeeds(sum.speeds, row);
    }
  }
}

function addRow(sum: Counts, row: CountedRow): void {
  sum.requests += 1;
  if (isFailedStatus(row.status)) sum.errors += 1;
  sum.prompt_tokens += row.prompt_tokens ?? 0;
  sum.completion_tokens += row.completion_tokens ?? 0;
  sum.cached_tokens += row.cached_tokens ?? 0;
  sum.cache_write_tokens += row.cache_write_tokens ?? 0;
  sum.total_tokens += row.total_tokens ?? 0;
  sum.cost_nano += row.cost_nano ?? 0n;
  sum.cache_saved_nano += row.cache_saved_nano ?? 0n;
}

/** Rows per statement: databases limit the number of values. */
const ROWS_PER_STATEMENT = 200;

const KEY = ['hours', 'kind', 'scope', 'start', 'name'] as const;

/** Adds to the aggregates in the database. The caller holds their lock. */
async function writeSums(trx: Transaction<Schema>, sums: readonly Sum[]): Promise<void> {
  for (let at = 0; at < sums.length; at += ROWS_PER_STATEMENT) {
    const part = sums.slice(at, at + ROWS_PER_STATEMENT);
    await addKnownTexts(trx, part);
    await trx
      .insertInto('gateway_usage_sums')
      .values(
        part.map(({ speeds, quarters, ...sum }) => ({
          ...sum,
          speeds: speeds ? speedsToText(speeds) : null,
          quarters: quarters ? quartersToText(quarters) : null,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns([...KEY]).doUpdateSet({
          requests: added('requests'),
          errors: added('errors'),
          prompt_tokens: added('prompt_tokens'),
          completion_tokens: added('completion_tokens'),
          cached_tokens: added('cached_tokens'),
          cache_write_tokens: added('cache_write_tokens'),
          total_tokens: added('total_tokens'),
          cost_nano: added<bigint>('cost_nano'),
          cache_saved_nano: added<bigint>('cache_saved_nano'),
          speeds: sql<string | null>`excluded.speeds`,
          quarters: sql<string | null>`excluded.quarters`,
        }),
      )
      .execute();
  }
}

const added = <Value = number>(name: string) =>
  sql<Value>`${sql.ref(`gateway_usage_sums.${name}`)} + ${sql.ref(`excluded.${name}`)}`;

/** Distributions and quarters are texts, so the database cannot add them up. */
async function addKnownTexts(trx: Transaction<Schema>, sums: readonly Sum[]): Promise<void> {
  const wanted = sql.join(
    sums.map(
      // PostgreSQL does not know the types of values in a list.
      ({ hours, kind, scope, start, name }) =>
        sql`(cast(${hours} as integer), ${kind}, ${scope}, cast(${start} as bigint), ${name})`,
    ),
  );
  const known = await trx
    .selectFrom('gateway_usage_sums')
    .select([...KEY, 'speeds', 'quarters'])
    .where(sql<boolean>`(hours, kind, scope, start, name) in (values ${wanted})`)
    .execute();
  const byKey = new Map(sums.map((sum) => [keyOf(sum), sum]));
  for (const row of known) {
    const sum = byKey.get(keyOf(row));
    if (sum?.speeds && row.speeds !== null) addSpeedsText(sum.speeds, row.speeds);
    if (sum?.quarters && row.quarters !== null) addQuartersText(sum.quarters, row.quarters);
  }
}

const keyOf = (row: Pick<Sum, (typeof KEY)[number]>): string => KEY.map((name) => row[name]).join('\0');

/** An aggregate row while it is being computed. */
type Sum = Counts &
  Pick<UsageSumRow, (typeof KEY)[number]> & {
    readonly speeds: Speeds | undefined;
    /** Only of a day. */
    readonly quarters: Quarters | undefined;
  };
