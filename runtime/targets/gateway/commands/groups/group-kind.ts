import type { Group, Groups } from '../../accounts/identity/groups-api.ts';
import { ORGANIZATION_ORDERS, TEAM_ORDERS } from '../../accounts/identity/list-queries.ts';
import type { Identity } from '../../accounts/identity/identity.ts';
import { organizationView, teamView } from '../../api/views/accounts.ts';
import { listAll } from '../../store/list-all.ts';
import { findOne } from '../store/find-one.ts';

/** What differs between the commands of teams and those of organizations. */
export interface GroupKindInfo {
  readonly noun: 'team' | 'organization';
  readonly plural: 'teams' | 'organizations';
  /** The word of the commands. */
  readonly command: 'teams' | 'orgs';
  readonly idName: 'team_id' | 'organization_id';
  /** Names of the fields that lists are sorted by. */
  readonly orders: typeof TEAM_ORDERS | typeof ORGANIZATION_ORDERS;
  readonly groupsOf: (identity: Identity) => Groups;
  readonly view: (group: Group) => object;
}

export const TEAMS: GroupKindInfo = {
  noun: 'team',
  plural: 'teams',
  command: 'teams',
  idName: 'team_id',
  orders: TEAM_ORDERS,
  groupsOf: ({ teams }) => teams,
  view: teamView,
};

export const ORGANIZATIONS: GroupKindInfo = {
  noun: 'organization',
  plural: 'organizations',
  command: 'orgs',
  idName: 'organization_id',
  orders: ORGANIZATION_ORDERS,
  groupsOf: ({ organizations }) => organizations,
  view: organizationView,
};

/** Finds a group by its id, or by an alias that no other one has. */
export const findGroup = async (identity: Identity, kind: GroupKindInfo, text: string): Promise<Group> =>
  findOne(text, await listAll(kind.groupsOf(identity)), {
    kind: kind.noun,
    list: `gateway ${kind.command} list`,
    idOf: ({ id }) => id,
    namesOf: ({ alias }) => [alias],
  });
