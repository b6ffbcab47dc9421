import { isFailedStatus } from '../ledger.ts';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Schema, UsageRow } from '../../../store/schema.ts';
import { writeSums } from './write-sums.ts';
import { addSpeeds, noSpeeds } from './speeds.ts';
import type { Sum } from './sum.ts';
import { DAY_SUMS, HOUR_SUMS, SCOPE_COLUMNS, scopeName, type SumKind } from './sum-scopes.ts';
import { entriesOf } from '#core/values/keys.ts';

/** Rows of one transaction, so that requests can write in between. */
const ROWS_PER_STEP = 1000;
/**
 * Rows are counted when they are this old. A row has the time at which its request ended, and is written a moment later; clocks of
 * several gateways can differ.
 */
const SETTLED_MS = 300_000;
const HOUR_MS = 3_600_000;

/** Columns of a usage row that sums need. */
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
  'total_tokens',
  'cost_nano',
  'latency_ms',
  'ttft_ms',
  'cache_hit',
] as const satisfies readonly (keyof UsageRow)[];
type CountedRow = Pick<UsageRow, (typeof COLUMNS)[number]>;

/** Adds the next usage rows to the sums. Returns whether there are more. Several processes can call it at the same time. */
export async function countUsage(db: Kysely<Schema>, now: number): Promise<boolean> {
  const end = Math.floor(now - SETTLED_MS);
  const before = await db
    .selectFrom('gateway_usage_counted')
    .select('counted_until')
    .executeTakeFirstOrThrow();
  // Most calls of an idle gateway have nothing to do, and lock nothing.
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

/** The next rows; a full step ends with all rows of its last millisecond. */
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
        sums.set(key, (sum = { hours, kind, scope, start, name, ...NOTHING, speeds }));
      }
      addRow(sum, row);
    }
  }
}

function addRow(sum: Sum, row: CountedRow): void {
  sum.requests += 1;
  if (isFailedStatus(row.status)) sum.errors += 1;
  sum.prompt_tokens += row.prompt_tokens ?? 0;
  sum.completion_tokens += row.completion_tokens ?? 0;
  sum.cached_tokens += row.cached_tokens ?? 0;
  sum.total_tokens += row.total_tokens ?? 0;
  sum.cost_nano += row.cost_nano ?? 0n;
  if (sum.speeds) addSpeeds(sum.speeds, row);
}

const NOTHING = {
  requests: 0,
  errors: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  total_tokens: 0,
  cost_nano: 0n,
};
