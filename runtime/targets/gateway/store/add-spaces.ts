import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { type Realm, spaceOf, teamRealm } from '../shared/owner.ts';

/** What belongs to users, with the column of their ids. */
const OWNED = {
  gateway_objects: 'user_id',
  gateway_datasets: 'owner',
  gateway_uploads: 'owner',
  gateway_experiments: 'owner',
  gateway_workflows: 'owner',
  gateway_jobs: 'owner',
} as const;

/** The tables as they are during this migration. */
interface Tables {
  gateway_users: {
    user_id: string;
    owner_id: string | null;
    team_id: string | null;
    deleted_at: number | null;
  };
  gateway_groups: { kind: string; id: string; owner_id: string | null };
  gateway_keys: { id: string; user_id: string; team_id: string | null; scope: string };
  gateway_objects: { user_id: string; key_id: string | null; space: string | null };
  gateway_secrets: { space: string };
}

/**
 * Gives users, teams and organizations internal ids that are random and never used again, and what users have created a space, which
 * decides who can see it. Earlier versions recorded only the user, so the space is that of the key if it is known, of the team if the
 * user has keys of one team only, and otherwise `issued`, which also the user's own keys can see.
 */
export async function addSpaces(given: Kysely<unknown>): Promise<void> {
  const db = given as Kysely<Tables>;
  for (const table of ['gateway_users', 'gateway_groups'])
    await db.schema.alterTable(table).addColumn('owner_id', 'text').execute();
  await db.schema
    .alterTable('gateway_keys')
    .addColumn('issuer', 'text', (column) => column.notNull().defaultTo('issued'))
    .execute();
  for (const table of Object.keys(OWNED)) {
    await db.schema.alterTable(table).addColumn('space', 'text').execute();
    await db.schema.createIndex(`${table}_space`).on(table).columns(['space', 'created_at']).execute();
  }
  await db.schema
    .alterTable('gateway_keys')
    .addColumn('self_made', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('gateway_secrets').renameColumn('owner', 'space').execute();
  await setInternalIds(db);
  await db.schema
    .createIndex('gateway_users_owner')
    .unique()
    .on('gateway_users')
    .column('owner_id')
    .execute();
  await setSpaces(db);
}

async function setInternalIds(db: Kysely<Tables>): Promise<void> {
  for (const { user_id: id } of await db.selectFrom('gateway_users').select('user_id').execute())
    await db.updateTable('gateway_users').set({ owner_id: randomUUID() }).where('user_id', '=', id).execute();
  for (const { kind, id } of await db.selectFrom('gateway_groups').select(['kind', 'id']).execute())
    await db
      .updateTable('gateway_groups')
      .set({ owner_id: randomUUID() })
      .where('kind', '=', kind)
      .where('id', '=', id)
      .execute();
}

async function setSpaces(db: Kysely<Tables>): Promise<void> {
  const groups = await db.selectFrom('gateway_groups').selectAll().where('kind', '=', 'team').execute();
  const teams = new Map(groups.map(({ id, owner_id: ownerId }) => [id, ownerId]));
  const realmOf = (teamId: string | null): Realm => {
    const ownerId = teamId === null ? undefined : teams.get(teamId);
    return ownerId ? teamRealm(ownerId) : 'issued';
  };
  const keys = await db
    .selectFrom('gateway_keys')
    .select(['id', 'user_id', 'team_id'])
    .where('scope', '=', 'models')
    .execute();
  const keysOfUsers = Map.groupBy(keys, ({ user_id: userId }) => userId);
  const users = await db.selectFrom('gateway_users').selectAll().execute();
  for (const { user_id: userId, owner_id: ownerId, team_id: teamId, deleted_at: deletedAt } of users) {
    if (ownerId === null) continue;
    const own = keysOfUsers.get(userId) ?? [];
    const teamIds = new Set(own.map((key) => key.team_id));
    const [onlyTeam = null] = teamIds.size === 1 ? teamIds : [];
    const space = spaceOf(ownerId, realmOf(teamId ?? onlyTeam));
    for (const [table, column] of Object.entries(OWNED))
      await sql`update ${sql.table(table)} set space = ${space} where ${sql.ref(column)} = ${userId}`.execute(
        db,
      );
    const secrets = db.updateTable('gateway_secrets').set({ space }).where('space', '=', userId);
    const deletedSecrets = db.deleteFrom('gateway_secrets').where('space', '=', userId);
    await (deletedAt === null ? secrets : deletedSecrets).execute();
    for (const { id, team_id: keyTeam } of own)
      await db
        .updateTable('gateway_objects')
        .set({ space: spaceOf(ownerId, realmOf(keyTeam)) })
        .where('key_id', '=', id)
        .where('user_id', '=', userId)
        .execute();
  }
}
