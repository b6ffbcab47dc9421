import type { Command } from '#serve/cli/command.ts';
import {
  type Group,
  type GroupChanges,
  type NewGroup,
  ORGANIZATION_FIELDS,
  TEAM_FIELDS,
} from '../accounts/fields/groups.ts';
import type { Groups } from '../accounts/identity/groups-api.ts';
import type { Identity } from '../accounts/identity/identity.ts';
import { ACCOUNT_STATUSES, ORGANIZATION_ORDERS, TEAM_ORDERS } from '../accounts/identity/list-queries.ts';
import { organizationView, teamView } from '../api/views/accounts.ts';
import { listAll } from '../store/list-all.ts';
import { changedFields, fieldOptions, newFields } from './options/field-options.ts';
import { accountStatusOption, listOptions, listOptionsOf } from './options/list-options.ts';
import { fieldRecord } from './show/field-record.ts';
import {
  budgetCells,
  formatDollars,
  formatTime,
  modelsText,
  orDash,
  statusOfAccount,
} from './show/format-values.ts';
import { findOrganization, findTeam } from './store/find-account.ts';
import { resourceCommands } from './store/resource-commands.ts';

/** Differences between the team commands and the organization commands. */
interface GroupKindInfo {
  readonly noun: 'a team' | 'an organization';
  readonly plural: 'teams' | 'organizations';
  /** The command name. */
  readonly command: 'teams' | 'orgs';
  readonly idName: 'team_id' | 'organization_id';
  readonly fields: typeof TEAM_FIELDS | typeof ORGANIZATION_FIELDS;
  /** Names of the fields that lists can be sorted by. */
  readonly orders: typeof TEAM_ORDERS | typeof ORGANIZATION_ORDERS;
  readonly groupsOf: (identity: Identity) => Groups;
  readonly find: (identity: Identity, text: string) => Promise<Group>;
  readonly view: (group: Group) => object;
  readonly deletes: string;
  readonly deleted: (id: string) => string;
}

export const TEAMS: GroupKindInfo = {
  noun: 'a team',
  plural: 'teams',
  command: 'teams',
  idName: 'team_id',
  fields: TEAM_FIELDS,
  orders: TEAM_ORDERS,
  groupsOf: ({ teams }) => teams,
  find: findTeam,
  view: teamView,
  deletes: 'Delete a team. Its keys are disabled, its service accounts are deleted, and its usage is kept.',
  deleted: (id) => `Deleted team ${id} and disabled its keys.`,
};

export const ORGANIZATIONS: GroupKindInfo = {
  noun: 'an organization',
  plural: 'organizations',
  command: 'orgs',
  idName: 'organization_id',
  fields: ORGANIZATION_FIELDS,
  orders: ORGANIZATION_ORDERS,
  groupsOf: ({ organizations }) => organizations,
  find: findOrganization,
  view: organizationView,
  deletes: 'Delete an organization, which must have no teams. Its usage is kept.',
  deleted: (id) => `Deleted organization ${id}.`,
};

/** The order of flags in the help. */
const ORDER = {
  first: ['blocked', 'block', 'unblock', 'alias', 'org', 'budget', 'model', 'any-model'],
  last: ['metadata'],
};

/** The team or organization commands. */
export function groupCommands(
  kind: GroupKindInfo,
): Readonly<Record<'create' | 'list' | 'get' | 'update' | 'delete', Command>> {
  const { noun, plural, command, idName, fields, orders, groupsOf, find } = kind;
  const isOfTeams = plural === 'teams';
  return resourceCommands<Group>({
    argument: `<${idName}|alias>`,
    find: async ({ state }, text) => await find(state.identity, text),
    view: kind.view,
    record: (group) =>
      fieldRecord(fields, group, {
        first: ['id', 'alias', 'organization', 'blocked', 'models'],
        last: ['created', 'metadata'],
      }),
    list: {
      summary: `List the ${plural} and their spending.`,
      options: {
        ...(isOfTeams && { org: { value: 'organization_id', help: 'Only teams of this organization' } }),
        ...accountStatusOption(plural, ACCOUNT_STATUSES),
        ...listOptions(plural, 'id or alias', orders),
      },
      prepare(invocation) {
        const query = {
          organizationId: isOfTeams ? invocation.value('org') : undefined,
          status: ACCOUNT_STATUSES.find((status) => status === invocation.value('status')),
          ...listOptionsOf(invocation, orders),
        };
        return async ({ state }) => await listAll(groupsOf(state.identity), query);
      },
      none: `No ${plural} found. Create one with \`gateway ${command} create\`.`,
      heads: ['ID', 'ALIAS', ...(isOfTeams ? ['ORGANIZATION'] : []), ...HEADS],
      async rows(groups, { state }) {
        const budgetCell = await budgetCells(state.budgets);
        return groups.map((group) => [
          group.id,
          orDash(group.alias),
          ...(isOfTeams ? [orDash(group.organizationId)] : []),
          statusOfAccount(group),
          modelsText(group.allowedModels),
          formatDollars(group.spent),
          budgetCell(group),
          formatTime(group.nextBudgetResetAt),
          formatTime(group.createdAt),
        ]);
      },
    },
    get: { summary: `Show ${noun}.` },
    create: {
      summary: `Create ${noun}.`,
      argument: `<${idName}>`,
      options: fieldOptions(fields, 'create', ORDER),
      prepare(invocation, id) {
        const given = newFields<typeof TEAM_FIELDS | typeof ORGANIZATION_FIELDS>(fields, invocation);
        return async ({ state }) => {
          const group: NewGroup = { ...(await given.values(state)), id };
          return await groupsOf(state.identity).create(group);
        };
      },
    },
    update: {
      summary: `Change, block or unblock ${noun}. A running gateway applies the change within a second.`,
      options: fieldOptions(fields, 'update', ORDER),
      prepare(invocation, text) {
        const given = changedFields<typeof TEAM_FIELDS | typeof ORGANIZATION_FIELDS>(fields, invocation);
        return async ({ state }) => {
          const { id } = await find(state.identity, text);
          const changes: GroupChanges = await given.values(state);
          return await groupsOf(state.identity).change(id, changes);
        };
      },
    },
    delete: {
      summary: kind.deletes,
      async run(text, { state: { identity } }) {
        const { id } = await find(identity, text);
        await groupsOf(identity).delete(id);
        return [{ [idName]: id }, kind.deleted(id)];
      },
    },
  });
}

const HEADS = ['STATUS', 'MODELS', 'SPENT', 'BUDGET', 'BUDGET RESETS', 'CREATED'];
