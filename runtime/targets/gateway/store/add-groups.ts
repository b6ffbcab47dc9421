import type { Kysely } from 'kysely';

/** Adds organizations and teams, whose budgets requests share, and the roles of users. */
export async function addGroups(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_groups')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('parent_id', 'text')
    .addColumn('alias', 'text')
    .addColumn('budget_id', 'text')
    .addColumn('blocked', 'integer', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('allowed_models', 'text')
    .addColumn('rpm', 'bigint')
    .addColumn('tpm', 'bigint')
    .addColumn('max_parallel', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('gateway_groups_key', ['kind', 'id'])
    .execute();
  await db.schema
    .createTable('gateway_team_members')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('gateway_team_members_key', ['team_id', 'user_id'])
    .execute();
  await db.schema
    .createIndex('gateway_team_members_user')
    .on('gateway_team_members')
    .column('user_id')
    .execute();
  await addReferences(db);
}

async function addReferences(db: Kysely<unknown>): Promise<void> {
  const users = db.schema.alterTable('gateway_users');
  await users.addColumn('role', 'text', (column) => column.notNull().defaultTo('member')).execute();
  await users.addColumn('team_id', 'text').execute();
  const keys = db.schema.alterTable('gateway_keys');
  await keys.addColumn('scope', 'text', (column) => column.notNull().defaultTo('models')).execute();
  await keys.addColumn('team_id', 'text').execute();
  for (const table of ['gateway_workflows', 'gateway_jobs'])
    await db.schema.alterTable(table).addColumn('team_id', 'text').execute();
  for (const column of ['team_id', 'organization_id']) {
    await db.schema.alterTable('gateway_usage').addColumn(column, 'text').execute();
    await db.schema
      .createIndex(`gateway_usage_${column}`)
      .on('gateway_usage')
      .columns([column, 'timestamp'])
      // Requests without a team need no entry, so they are recorded as fast as before.
      .where(column, 'is not', null)
      .execute();
  }
}
