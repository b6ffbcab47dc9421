import { type Kysely, sql } from 'kysely';

/** Adds ranges of rows, which the workers of a job lease one by one. The progress of earlier jobs becomes their first range. */
export async function addJobRanges(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_job_ranges')
    .addColumn('job_id', 'text', (column) => column.notNull())
    .addColumn('first_row', 'bigint', (column) => column.notNull())
    .addColumn('row_count', 'bigint', (column) => column.notNull())
    .addColumn('next_row', 'bigint', (column) => column.notNull())
    .addColumn('failed_rows', 'bigint', (column) => column.notNull())
    .addColumn('retry_row', 'bigint')
    .addColumn('rows_to_retry', 'bigint', (column) => column.notNull())
    .addColumn('checkpoint', 'text')
    .addColumn('ended', 'integer', (column) => column.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('lease_epoch', 'bigint', (column) => column.notNull())
    .addColumn('failed_workers', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('gateway_job_ranges_key', ['job_id', 'first_row'])
    .execute();
  const jobs = db.schema.alterTable('gateway_jobs');
  await jobs.addColumn('next_row', 'bigint', (column) => column.notNull().defaultTo(0)).execute();
  await jobs.addColumn('workers', 'bigint', (column) => column.notNull().defaultTo(0)).execute();
  // An evaluation is never divided, because its metrics are counted in order.
  const end = sql`case type when 'evaluation' then total_rows else done_rows end`;
  await sql`
    insert into gateway_job_ranges (job_id, first_row, row_count, next_row, failed_rows, retry_row, rows_to_retry,
      checkpoint, ended, lease_owner, lease_until, lease_epoch, failed_workers)
    select id, 0, ${end}, done_rows, failed_rows, retry_row,
      case when retry_row is null then 0 else failed_rows end, checkpoint,
      case when done_rows = ${end} and retry_row is null then 1 else 0 end, null, null, 0, 0
    from gateway_jobs where done_rows > 0`.execute(db);
  await sql`update gateway_jobs set next_row = ${end} where done_rows > 0`.execute(db);
  await jobs.dropColumn('checkpoint').execute();
  await jobs.dropColumn('retry_row').execute();
}
