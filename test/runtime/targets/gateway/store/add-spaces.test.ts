import type { Kysely } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { spaceOf, teamRealm } from '#gateway/shared/owner.ts';
import { addSpaces } from '#gateway/store/add-spaces.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { MIGRATIONS } from '#gateway/store/migrations.ts';
import { openDatabase } from '#gateway/store/open-store.ts';
import { describeDatabases } from '../databases.ts';

/** What users create, with the column of their ids in the old schema. */
const DATA = {
  gateway_objects: 'user_id',
  gateway_datasets: 'owner',
  gateway_uploads: 'owner',
  gateway_experiments: 'owner',
  gateway_workflows: 'owner',
  gateway_jobs: 'owner',
  gateway_secrets: 'owner',
};

/** Tables with the id of a user that are bills, limits or records, and no data of the user. */
const NO_DATA = [
  'gateway_users',
  'gateway_keys',
  'gateway_team_members',
  'gateway_reservations',
  'gateway_usage',
  'gateway_guardrail_hits',
  'gateway_prompts',
];

type Values = Readonly<Record<string, unknown>>;

describeDatabases((database) => {
  /** A database with the schema from before spaces. */
  const openOld = async () => {
    const store = openDatabase(parseDatabaseUrl(await database.create()));
    onTestFinished(() => store.close());
    const db = store.db as unknown as Kysely<Record<string, Record<string, unknown>>>;
    const untyped = store.db as unknown as Kysely<unknown>;
    const at = MIGRATIONS.indexOf(addSpaces);
    for (const step of MIGRATIONS.slice(0, at)) await step(untyped);
    const tables = await untyped.introspection.getTables();
    let rows = 0;
    /** Inserts a row; columns that need a value get one. */
    const insert = async (table: string, values: Values): Promise<void> => {
      rows += 1;
      const columns = tables.find(({ name }) => name === table)?.columns ?? [];
      const needed = columns
        .filter(({ isNullable, hasDefaultValue }) => !isNullable && !hasDefaultValue)
        .map(({ name, dataType }) => [name, /int/i.test(dataType) ? rows : `value-${rows}`]);
      await db
        .insertInto(table)
        .values({ ...Object.fromEntries(needed), ...values })
        .execute();
    };
    const migrate = async (): Promise<void> => {
      for (const step of MIGRATIONS.slice(at)) await step(untyped);
    };
    const rowsOf = async (table: string): Promise<Values[]> =>
      await db.selectFrom(table).selectAll().execute();
    return { insert, migrate, rowsOf, tables };
  };

  test('each row of the old schema belongs to the space of its key, of the only team of its user, or is issued', async () => {
    const { insert, migrate, rowsOf } = await openOld();
    await insert('gateway_groups', { kind: 'team', id: 'lab' });
    await insert('gateway_groups', { kind: 'organization', id: 'acme' });
    await insert('gateway_users', { user_id: 'ann' });
    await insert('gateway_users', { user_id: 'bob' });
    await insert('gateway_users', { user_id: 'cat' });
    await insert('gateway_users', { user_id: 'lab-bot', team_id: 'lab' });
    await insert('gateway_users', { user_id: 'dan', deleted_at: 5 });
    const key = { scope: 'models', is_active: 1 };
    await insert('gateway_keys', { ...key, id: 'ann-lab', user_id: 'ann', team_id: 'lab' });
    await insert('gateway_keys', { ...key, id: 'ann-lab-2', user_id: 'ann', team_id: 'lab' });
    // A key that manages does not decide about data.
    await insert('gateway_keys', {
      ...key,
      id: 'ann-manages',
      user_id: 'ann',
      team_id: null,
      scope: 'manage',
    });
    await insert('gateway_keys', { ...key, id: 'bob-lab', user_id: 'bob', team_id: 'lab' });
    await insert('gateway_keys', { ...key, id: 'bob-own', user_id: 'bob', team_id: null });
    const users = ['ann', 'bob', 'cat', 'lab-bot', 'dan', 'former-user'];
    for (const [table, column] of Object.entries(DATA))
      for (const user of users) await insert(table, { [column]: user });
    for (const id of ['ann-lab', 'bob-lab', 'bob-own'])
      await insert('gateway_objects', { user_id: id.slice(0, 3), key_id: id });
    // The id of a key with another user's row is not trusted.
    await insert('gateway_objects', { user_id: 'cat', key_id: 'ann-lab' });
    for (const table of Object.keys(DATA).filter((name) => !/objects|secrets/.test(name)))
      await insert(table, { owner: null });

    await migrate();

    const owners = new Map(
      (await rowsOf('gateway_users')).map((row) => [row['user_id'], String(row['owner_id'])]),
    );
    expect(new Set(owners.values()).size).toBe(5);
    const lab = (await rowsOf('gateway_groups')).find(({ id }) => id === 'lab');
    const ofTeam = teamRealm(String(lab?.['owner_id']));
    const space = (user: string, realm: Parameters<typeof spaceOf>[1]) =>
      spaceOf(owners.get(user) ?? '', realm);
    const expected: Readonly<Record<string, string | null>> = {
      ann: space('ann', ofTeam),
      bob: space('bob', 'issued'),
      cat: space('cat', 'issued'),
      'lab-bot': space('lab-bot', ofTeam),
      dan: space('dan', 'issued'),
      'former-user': null,
    };
    for (const [table, column] of Object.entries(DATA).filter(([name]) => name !== 'gateway_secrets')) {
      const rows = (await rowsOf(table)).filter((row) => (row['key_id'] ?? null) === null);
      expect([table, Object.fromEntries(rows.map((row) => [String(row[column]), row['space']]))]).toEqual([
        table,
        { ...expected, ...(table !== 'gateway_objects' && { null: null }) },
      ]);
    }
    const objects = (await rowsOf('gateway_objects')).filter((row) => typeof row['key_id'] === 'string');
    expect(objects.map((row) => [row['user_id'], row['key_id'], row['space']])).toEqual([
      ['ann', 'ann-lab', space('ann', ofTeam)],
      ['bob', 'bob-lab', space('bob', ofTeam)],
      ['bob', 'bob-own', space('bob', 'issued')],
      ['cat', 'ann-lab', space('cat', 'issued')],
    ]);
    // Secrets of deleted users are deleted. Those of ids without a user keep a name that is not a space.
    const spaces = (await rowsOf('gateway_secrets')).map((row) => row['space']);
    expect(new Set(spaces)).toEqual(
      new Set(['ann', 'bob', 'cat', 'lab-bot'].map((user) => expected[user])).add('former-user'),
    );
    expect((await rowsOf('gateway_keys')).map((row) => row['issuer'])).toEqual(Array(5).fill('issued'));
  });

  test('a table with the id of a user is either data with a space, or classified here', async () => {
    const { migrate, tables } = await openOld();
    const named = tables
      .filter(({ columns }) => columns.some(({ name }) => name === 'user_id' || name === 'owner'))
      .map(({ name }) => name);
    expect(named.filter((name) => !(name in DATA) && !NO_DATA.includes(name))).toEqual([]);
    expect([...Object.keys(DATA), ...NO_DATA].filter((name) => !named.includes(name))).toEqual([]);
    await migrate();
  });
});
