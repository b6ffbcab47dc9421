import { type Kysely, sql } from 'kysely';

/** Adds the cache of answers, and a mark for requests that were answered from it. */
export async function addAnswerCache(db: Kysely<unknown>): Promise<void> {
  // PostgreSQL's type for bytes. SQLite accepts any type name and stores bytes unchanged.
  const bytes = sql`bytea`;
  await db.schema
    .createTable('gateway_answers')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('prompt_tokens', 'bigint', (column) => column.notNull())
    .addColumn('completion_tokens', 'bigint', (column) => column.notNull())
    .addColumn('dropped_tools', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('question_group', 'text')
    .addColumn('vector', bytes)
    // Last, so that SQLite does not read it for the other columns.
    .addColumn('body', bytes, (column) => column.notNull())
    .execute();
  // With the size, so that the sum of all sizes is read without the answers.
  for (const columns of [['created_at', 'size'], ['expires_at']]) {
    await db.schema
      .createIndex(`gateway_answers_${columns[0]}`)
      .on('gateway_answers')
      .columns(columns)
      .execute();
  }
  await db.schema.alterTable('gateway_usage').addColumn('cache_hit', 'text').execute();
}
