import { type Kysely, sql } from 'kysely';

/** Adds sums of the usage by hour and day, and indexes for lists of requests. */
export async function addUsageSums(db: Kysely<unknown>): Promise<void> {
  const amounts = [
    'requests',
    'errors',
    'prompt_tokens',
    'completion_tokens',
    'cached_tokens',
    'total_tokens',
    'cost_nano',
  ];
  let table = db.schema
    .createTable('gateway_usage_sums')
    .addColumn('hours', 'integer', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('start', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull());
  for (const name of amounts) table = table.addColumn(name, 'bigint', (column) => column.notNull());
  await table
    .addColumn('speeds', 'text')
    // A chart reads one range of the key.
    .addPrimaryKeyConstraint('gateway_usage_sums_key', ['hours', 'kind', 'scope', 'start', 'name'] as never[])
    .execute();
  await db.schema
    .createTable('gateway_usage_counted')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('counted_until', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into gateway_usage_counted (id, counted_until) values (1, 0)`.execute(db);
  await db.schema
    .createIndex('gateway_usage_model')
    .on('gateway_usage')
    .columns(['model', 'timestamp', 'id'])
    .execute();
  await db.schema
    .createIndex('gateway_usage_errors')
    .on('gateway_usage')
    .columns(['timestamp', 'id'])
    .where(sql.ref('status'), '=', sql.lit('error'))
    .execute();
  await db.schema
    .createIndex('gateway_usage_team')
    .on('gateway_usage')
    .columns(['team_id', 'timestamp', 'id'])
    .where(sql.ref('team_id'), 'is not', null)
    .execute();
}
