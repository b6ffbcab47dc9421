import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import type { Group, Groups, GroupChanges } from '../accounts/identity/groups-api.ts';
import type { Identity } from '../accounts/identity/identity.ts';
import { ORGANIZATION_ORDERS, TEAM_ORDERS, ACCOUNT_STATUSES } from '../accounts/identity/list-queries.ts';
import type { Budget } from '../accounts/ledger/ledger.ts';
import { organizationView, teamView } from '../api/views/accounts.ts';
import type { Administration } from '../gateway-state.ts';
import { listAll } from '../store/list-all.ts';
import { modelPatternsOf } from './keys-options.ts';
import { METADATA_OPTION, metadataOf, requireChanges, readToggle } from './options/changes.ts';
import { LIMIT_OPTIONS, limitsOf } from './options/limit-options.ts';
import { accountStatusOption, listOptions, listOptionsOf } from './options/list-options.ts';
import {
  formatDollars,
  formatTime,
  modelsText,
  orDash,
  budgetText,
  limitRecord,
  printResult,
  recordLines,
} from './show/format-values.ts';
import { findOne } from './store/find-one.ts';
import { type StoreContext, storeCommand } from './store/store-command.ts';
import { budgetIdOf } from './users.ts';

/** What differs between the commands of teams and those of organizations. */
interface GroupKindInfo {
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

/** Options of `create` and `update`. */
const groupOptions = ({ noun }: GroupKindInfo): Readonly<Record<string, Option>> => ({
  alias: { value: 'name', help: `Display name of the ${noun}` },
  ...(noun === 'team' && {
    org: { value: 'id|alias', help: 'Organization of the team, or none' },
  }),
  budget: { value: 'id|name', help: `Budget that all keys of the ${noun} share, or none` },
  model: {
    value: 'pattern',
    help: `Models that keys of the ${noun} can use, e.g. openai:*`,
    repeatable: true,
  },
  'any-model': { help: 'Allow all models' },
  ...LIMIT_OPTIONS,
  ...METADATA_OPTION,
});

const groupFields = (invocation: Invocation): GroupChanges => ({
  alias: invocation.value('alias'),
  allowedModels: allowedModelsOf(invocation),
  metadata: metadataOf(invocation),
  ...limitsOf(invocation),
});

function allowedModelsOf(invocation: Invocation): readonly string[] | null | undefined {
  const patterns = modelPatternsOf(invocation);
  if (!invocation.flag('any-model')) return patterns;
  if (patterns) throw new UsageError('--model conflicts with --any-model; use one of them.');
  return null;
}

/** The budget and the organization that the command line names; null for `none`. */
async function referencesOf(
  { identity, budgets }: Administration,
  invocation: Invocation,
  { noun }: GroupKindInfo,
): Promise<Pick<GroupChanges, 'budgetId' | 'organizationId'>> {
  const budgetId = await budgetIdOf(budgets, invocation.value('budget'));
  const org = noun === 'team' ? invocation.value('org') : undefined;
  if (org === undefined) return { budgetId };
  const organizationId = org === 'none' ? null : (await findGroup(identity, ORGANIZATIONS, org)).id;
  return { budgetId, organizationId };
}

function showGroup(
  group: Group,
  kind: GroupKindInfo,
  { output, json }: Pick<StoreContext, 'output' | 'json'>,
): void {
  if (json) printJson(output, kind.view(group));
  else printLines(output, recordLines(recordOf(group, kind)));
}

const recordOf = (group: Group, { noun }: GroupKindInfo): Record<string, string> => ({
  id: group.id,
  alias: orDash(group.alias),
  ...(noun === 'team' && { organization: orDash(group.organizationId) }),
  blocked: group.blocked ? 'yes' : 'no',
  models: modelsText(group.allowedModels),
  spent: formatDollars(group.spent),
  reserved: formatDollars(group.reserved),
  budget: orDash(group.budgetId),
  'budget started': formatTime(group.budgetStartedAt),
  'budget resets': formatTime(group.nextBudgetResetAt),
  ...limitRecord(group),
  created: formatTime(group.createdAt),
  metadata: JSON.stringify(group.metadata),
});

export const listGroupsCommand = (kind: GroupKindInfo) =>
  storeCommand({
    summary: `List the ${kind.plural} and their spending.`,
    options: {
      ...(kind.noun === 'team' ? ORGANIZATION : {}),
      ...accountStatusOption(kind.plural, ACCOUNT_STATUSES),
      ...listOptions(kind.plural, 'id or alias', kind.orders),
    },
    prepare(invocation) {
      const query = {
        organizationId: kind.noun === 'team' ? invocation.value('org') : undefined,
        status: ACCOUNT_STATUSES.find((status) => status === invocation.value('status')),
        ...listOptionsOf(invocation, kind.orders),
      };
      return async ({ state, output, json }) => {
        const groups = await listAll(kind.groupsOf(state.identity), query);
        if (json) return printJson(output, groups.map(kind.view));
        if (groups.length === 0)
          return output.err(`No ${kind.plural} found. Create one with \`gateway ${kind.command} create\`.\n`);
        const budgets = new Map((await listAll(state.budgets)).map((budget) => [budget.budgetId, budget]));
        const heads = ['ID', 'ALIAS', ...(kind.noun === 'team' ? ['ORGANIZATION'] : []), ...COLUMNS];
        const rows = groups.map((group) => rowOf(group, kind, budgets.get(group.budgetId ?? '')));
        return printLines(output, formatTable(heads, rows, stdoutTerminal()));
      };
    },
  });

const ORGANIZATION = { org: { value: 'organization_id', help: 'Only teams of this organization' } };
const COLUMNS = ['STATUS', 'MODELS', 'SPENT', 'BUDGET', 'BUDGET RESETS', 'CREATED'];

const rowOf = (
  group: Group,
  { noun }: GroupKindInfo,
  budget: Budget | undefined,
): Parameters<typeof formatTable>[1][number] => [
  group.id,
  orDash(group.alias),
  ...(noun === 'team' ? [orDash(group.organizationId)] : []),
  group.blocked ? { text: 'blocked', style: 'red' } : { text: 'active', style: 'green' },
  modelsText(group.allowedModels),
  formatDollars(group.spent),
  budget === undefined ? '-' : (budget.name ?? budgetText(budget)),
  formatTime(group.nextBudgetResetAt),
  formatTime(group.createdAt),
];

export const getGroupCommand = (kind: GroupKindInfo) => {
  const positionals = `<${kind.idName}|alias>`;
  return storeCommand({
    summary: `Show ${kind.noun === 'team' ? 'a team' : 'an organization'}.`,
    positionals,
    options: {},
    prepare(invocation) {
      const [text] = exactly(invocation, positionals);
      return async ({ state, output, json }) =>
        showGroup(await findGroup(state.identity, kind, text), kind, { output, json });
    },
  });
};

export const createGroupCommand = (kind: GroupKindInfo) =>
  storeCommand({
    summary: `Create ${kind.noun === 'team' ? 'a team' : 'an organization'}.`,
    positionals: `<${kind.idName}>`,
    options: { blocked: { help: `Reject requests of the ${kind.noun}` }, ...groupOptions(kind) },
    prepare(invocation) {
      const [id] = exactly(invocation, `<${kind.idName}>`);
      const fields = { ...groupFields(invocation), blocked: invocation.flag('blocked') };
      return async ({ state, output, json }) => {
        const references = await referencesOf(state, invocation, kind);
        const groups = kind.groupsOf(state.identity);
        showGroup(await groups.create({ ...fields, ...references, id }), kind, { output, json });
      };
    },
  });

export const updateGroupCommand = (kind: GroupKindInfo) => {
  const positionals = `<${kind.idName}|alias>`;
  return storeCommand({
    summary: `Change, block or unblock ${kind.noun === 'team' ? 'a team' : 'an organization'}. A running gateway applies the change within a second.`,
    positionals,
    options: {
      block: { help: `Reject requests of the ${kind.noun}` },
      unblock: { help: `Accept requests of the ${kind.noun} again` },
      ...groupOptions(kind),
    },
    prepare(invocation) {
      const [text] = exactly(invocation, positionals);
      const fields = { ...groupFields(invocation), blocked: readToggle(invocation, 'block', 'unblock') };
      const named = {
        budget: invocation.value('budget'),
        org: kind.noun === 'team' && invocation.value('org'),
      };
      requireChanges({ ...fields, budget: named.budget, org: named.org || undefined });
      return async ({ state, output, json }) => {
        const { id } = await findGroup(state.identity, kind, text);
        const references = await referencesOf(state, invocation, kind);
        const groups = kind.groupsOf(state.identity);
        showGroup(await groups.change(id, { ...fields, ...references }), kind, { output, json });
      };
    },
  });
};

export const deleteGroupCommand = (kind: GroupKindInfo) => {
  const positionals = `<${kind.idName}|alias>`;
  return storeCommand({
    summary:
      kind.noun === 'team'
        ? 'Delete a team. Its keys are disabled, its service accounts are deleted, and its usage is kept.'
        : 'Delete an organization, which must have no teams. Its usage is kept.',
    positionals,
    options: {},
    prepare(invocation) {
      const [text] = exactly(invocation, positionals);
      return async ({ state: { identity }, output, json }) => {
        const { id } = await findGroup(identity, kind, text);
        await kind.groupsOf(identity).delete(id);
        const message =
          kind.noun === 'team' ? `Deleted team ${id} and disabled its keys.` : `Deleted organization ${id}.`;
        printResult({ output, json }, { [kind.idName]: id, deleted: true }, message);
      };
    },
  });
};
