import type { Kysely } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import type { GroupGrant, KeyGrant, UserGrant } from './identity.ts';
import { type DataAccess, type Realm, spaceOf, teamRealm } from '../../shared/owner.ts';

interface KeyParts {
  readonly key: KeyGrant;
  readonly user: UserGrant;
  readonly groups: readonly GroupGrant[];
}

/**
 * What a key can see: one with a team only what was made with keys of the team; one that another user has created or rotated only what
 * was made with such keys; and one that only its user has everything of the user, with what the user made in the teams that the user
 * belongs to now.
 */
export async function dataOfKey(db: Kysely<Schema>, { key, user, groups }: KeyParts): Promise<DataAccess> {
  const { userId, ownerId } = user;
  const team = teamIn(groups);
  const realm = team ? teamRealm(team.ownerId) : key.issuer;
  const owner = { userId, space: spaceOf(ownerId, realm) };
  if (realm !== 'own') return { owner, viewer: { spaces: [owner.space] } };
  const realms: readonly Realm[] = ['own', 'issued', ...(await teamRealmsOf(db, userId))];
  return { owner, viewer: { spaces: realms.map((one) => spaceOf(ownerId, one)) } };
}

/** What the master key can see in the name of a user: everything of the user. It creates what keys of administrators can see. */
export function dataOfUser({ userId, ownerId }: UserGrant, groups: readonly GroupGrant[]): DataAccess {
  const team = teamIn(groups);
  const realm = team ? teamRealm(team.ownerId) : 'issued';
  return { owner: { userId, space: spaceOf(ownerId, realm) }, viewer: { ownerId } };
}

/** What work for a team can see. */
export function dataInTeam({ userId, ownerId }: UserGrant, groups: readonly GroupGrant[]): DataAccess {
  const space = spaceOf(ownerId, teamRealm(teamIn(groups)?.ownerId ?? ''));
  return { owner: { userId, space }, viewer: { spaces: [space] } };
}

const teamIn = (groups: readonly GroupGrant[]): GroupGrant | undefined =>
  groups.find(({ kind }) => kind === 'team');

async function teamRealmsOf(db: Kysely<Schema>, userId: string): Promise<readonly Realm[]> {
  const rows = await db
    .selectFrom('gateway_team_members')
    .innerJoin('gateway_groups', (join) =>
      join.onRef('gateway_groups.id', '=', 'gateway_team_members.team_id').on('kind', '=', 'team'),
    )
    .select('gateway_groups.owner_id')
    .where('gateway_team_members.user_id', '=', userId)
    .execute();
  return rows.map(({ owner_id: ownerId }) => teamRealm(ownerId));
}
