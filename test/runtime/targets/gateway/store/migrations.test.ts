import type { Kysely } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createUsageTrends } from '#gateway/accounts/ledger/trends/usage-trends.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import {
  addColumns,
  createTable,
  initially,
  later,
  nullable,
  table,
  textColumn,
} from '#gateway/store/define-table.ts';
import { migrate, NEWEST_VERSION } from '#gateway/store/migrate.ts';
import { type Migration, MIGRATIONS } from '#gateway/store/migrations.ts';
import { openDatabase } from '#gateway/store/open-store.ts';
import { META, TABLES } from '#gateway/store/schema.ts';
import { describeDatabases } from '../databases.ts';
import { USAGE_ROW } from '../usage-row.ts';

const DAY_MS = 86_400_000;

/** Objects that users create, which other users must not see. */
const DATA = [
  'gateway_objects',
  'gateway_datasets',
  'gateway_uploads',
  'gateway_experiments',
  'gateway_workflows',
  'gateway_jobs',
];

/** Tables with user IDs that contain billing data, limits or records, but no user data. */
const NO_DATA = [
  'gateway_users',
  'gateway_keys',
  'gateway_team_members',
  'gateway_invitations',
  'gateway_reservations',
  'gateway_usage',
  'gateway_guardrail_hits',
  'gateway_prompts',
  'gateway_feedback',
  'gateway_shadow_rows',
];

test('every table with a user ID has an owner space or is listed in this test', () => {
  const named = Object.entries(TABLES)
    .filter(([, { columns }]) => 'user_id' in columns || 'owner' in columns)
    .map(([name]) => name);
  expect(named.toSorted()).toEqual([...DATA, ...NO_DATA].toSorted());
  const spaces = Object.entries(TABLES).filter(([, { columns }]) => 'space' in columns);
  // A secret's name is unique within its owner's space, which is part of the primary key.
  expect(spaces.map(([name]) => name).toSorted()).toEqual([...DATA, 'gateway_secrets'].toSorted());
});

/** The schema of a later version: a new table, and a new column in an existing one. */
const NOTES = table({ id: textColumn, note: nullable(textColumn) }, { isLater: true });
const BUDGETS = table({
  ...TABLES.gateway_budgets.columns,
  currency: later(initially(textColumn, 'USD')),
});

const addNotes: Migration = async (db) => {
  await createTable(db, 'gateway_notes', NOTES);
  await addColumns(db, 'gateway_budgets', { currency: BUDGETS.columns.currency });
};

const BUDGET = {
  budget_id: 'b',
  name: null,
  max_budget_nano: 5n,
  budget_duration_sec: null,
  created_at: 1,
  updated_at: 1,
  calendar: null,
  time_zone: null,
  budget_limits: null,
  alert_thresholds: null,
};

async function columnsIn({ introspection }: Kysely<unknown>, name: string): Promise<string[]> {
  const tables = await introspection.getTables();
  return tables.find((one) => one.name === name)?.columns.map((column) => column.name) ?? [];
}

describeDatabases((database) => {
  const open = async () => {
    const store = openDatabase(parseDatabaseUrl(await database.createEmpty()));
    onTestFinished(() => store.close());
    const untyped = store.db as unknown as Kysely<Record<string, Record<string, unknown>>>;
    const columnsOf = async (name: string) => await columnsIn(untyped as unknown as Kysely<unknown>, name);
    const budgets = async () => await untyped.selectFrom('gateway_budgets').selectAll().execute();
    return {
      store,
      untyped,
      columnsOf,
      budgets,
      to: async (migrations?: readonly Migration[], apply = true) =>
        await migrate(store, 'here', apply, migrations),
    };
  };

  test('migrations create exactly the tables and columns of the schema', async () => {
    const { store, to } = await open();
    expect(await to()).toEqual({ from: 0, to: NEWEST_VERSION });
    const created = (await store.db.introspection.getTables()).flatMap(({ name, columns }) =>
      columns.map((column) => `${name}.${column.name}${column.isNullable ? '?' : ''}`),
    );
    const defined = Object.entries({ ...TABLES, gateway_meta: META }).flatMap(([name, { columns }]) =>
      Object.entries(columns).map(([column, { isNullable }]) => `${name}.${column}${isNullable ? '?' : ''}`),
    );
    expect(new Set(created)).toEqual(new Set(defined));
  });

  test('a later migration runs once on a database with data', async () => {
    const { store, untyped, columnsOf, budgets, to } = await open();
    await to();
    await store.db.insertInto('gateway_budgets').values(BUDGET).execute();
    const both = [...MIGRATIONS, addNotes];
    await expect(to(both, false)).rejects.toThrow(
      `The database (here) has schema version ${NEWEST_VERSION}, but this gateway requires ${NEWEST_VERSION + 1}. Run \`gateway migrate\``,
    );
    expect(await columnsOf('gateway_notes')).toEqual([]);
    const once = { from: NEWEST_VERSION, to: NEWEST_VERSION + 1 };
    expect(await to(both)).toEqual(once);
    expect(await budgets()).toEqual([{ ...BUDGET, currency: 'USD' }]);
    await untyped.insertInto('gateway_notes').values({ id: 'n', note: null }).execute();
    expect(await to(both)).toEqual({ ...once, from: once.to });
    // The earlier gateway rejects the database.
    await expect(to()).rejects.toThrow(`supports versions up to ${NEWEST_VERSION}. Use a newer gateway`);
  });

  test('all migrations run on an empty database, and the first migration omits what later migrations add', async () => {
    const { columnsOf, to } = await open();
    const first: Migration = async (db) => {
      await createTable(db, 'gateway_budgets', BUDGETS);
      expect(await columnsIn(db, 'gateway_budgets')).not.toContain('currency');
    };
    expect(await to([first, addNotes])).toEqual({ from: 0, to: NEWEST_VERSION + 2 - MIGRATIONS.length });
    expect(await columnsOf('gateway_budgets')).toContain('currency');
    expect(await columnsOf('gateway_notes')).toEqual(['id', 'note']);
  });

  test('an older database computes its sums again from the usage rows', async () => {
    const { store, untyped, to } = await open();
    await to(MIGRATIONS.slice(0, 1));
    await store.db
      .insertInto('gateway_usage')
      .values({ ...USAGE_ROW, timestamp: 5, user_id: 'ada', cost_nano: 7n })
      .execute();
    const sums = {
      errors: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      cached_tokens: 0,
      cache_write_tokens: 0,
    };
    const old = { hours: 24, kind: 'model', scope: '', start: 0, name: 'openai:gpt-5', requests: 1 };
    await untyped
      .insertInto('gateway_usage_sums')
      .values({ ...old, ...sums, total_tokens: 0, cost_nano: 7n, cache_saved_nano: 0n, speeds: null })
      .execute();
    await store.db.updateTable('gateway_usage_counted').set({ counted_until: 9 }).execute();
    await to();
    await createUsageTrends(store).count(DAY_MS);
    const found = await store.db
      .selectFrom('gateway_usage_sums')
      .select(['scope', 'name', 'requests', 'cost_nano', 'quarters'])
      .where('hours', '=', 24)
      .where('kind', '=', 'model')
      .orderBy('scope')
      .execute();
    const row = { name: 'openai:gpt-5', requests: 1, cost_nano: 7n, quarters: '[0,1,0,0,0,0,0,0,7,0]' };
    expect(found).toEqual([
      { ...row, scope: '' },
      { ...row, scope: 'user:ada' },
    ]);
  });

  test('a failed migration does not change the database', async () => {
    const { store, columnsOf, to } = await open();
    await to();
    const failing: Migration = async (db) => {
      await addNotes(db);
      throw new Error('half done');
    };
    await expect(to([...MIGRATIONS, failing])).rejects.toThrow('half done');
    expect(await columnsOf('gateway_notes')).toEqual([]);
    expect(await columnsOf('gateway_budgets')).not.toContain('currency');
    expect(await store.db.selectFrom('gateway_meta').select('schema_version').execute()).toEqual([
      { schema_version: NEWEST_VERSION },
    ]);
  });

  test('a pre-release database is rejected with a fix', async () => {
    const { store, to } = await open();
    await to();
    for (const version of [1, 37, 99]) {
      await store.db.updateTable('gateway_meta').set({ schema_version: version }).execute();
      await expect(to()).rejects.toThrow(
        `The database (here) has schema version ${version}, which is from a pre-release build and cannot be migrated. ` +
          'Use another database, or the build that created it.',
      );
    }
  });
});
