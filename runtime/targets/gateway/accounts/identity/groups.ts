import { randomUUID } from 'node:crypto';
import { type Kysely, type Transaction, sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { groupAccount } from '../../store/account-ids.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { GroupKind, Schema, GroupRow } from '../../store/schema.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { Store } from '../../store/store.ts';
import { moveWindow, createAccount, startWindow, spentAt } from './accounts.ts';
import { budgetRowOf } from './budget-row.ts';
import { checkFields, checkId, notFound } from './checks.ts';
import { GROUP_NOUNS, groupOf, selectGroups } from './group-rows.ts';
import { cellsOf, emptyCells } from '../../store/field-columns.ts';
import { type Group, TEAM_FIELDS } from '../fields/groups.ts';
import type { Groups } from './groups-api.ts';
import { isOfTeam } from '../../store/space-columns.ts';
import { containsInAnyCase } from '../../store/contains-text.ts';
import { equalValues } from '../../store/equal-values.ts';
import { inOrder, textOrder } from '../../store/in-order.ts';
import { hasAccountStatus } from './has-account-status.ts';
import { inTeams } from './in-teams.ts';
import type { GroupQuery } from './list-queries.ts';

/** Creates the management of all teams, or of all organizations. */
export function createGroups(
  { db, ledger }: Store,
  revision: FollowedRevision,
  clock: Clock,
  kind: GroupKind,
): Groups {
  const now = (): number => Math.floor(clock.now());
  const find = async (trx: Kysely<Schema>, id: string): Promise<Group | undefined> => {
    if (!isStorable(id)) return undefined;
    const row = await selectGroups(trx, kind).where('gateway_groups.id', '=', id).executeTakeFirst();
    return row && groupOf(row, clock.now());
  };
  const get = async (trx: Kysely<Schema>, id: string): Promise<Group> =>
    (await find(trx, id)) ?? missingGroup(kind, id);

  return {
    create: async ({ id, ...fields }) =>
      await revision.change(async (trx, note) => {
        checkId(ID_FIELDS[kind], id);
        checkFields(TEAM_FIELDS, fields);
        if (await find(trx, id)) {
          throw new AppError('ConflictError', `${GROUP_NOUNS[kind]} with id '${id}' already exists`, {
            reason: `${REASONS[kind]}_exists`,
          });
        }
        await requireOrganization(trx, fields.organizationId);
        const row = {
          ...emptyCells(TEAM_FIELDS),
          kind,
          id,
          owner_id: randomUUID(),
          created_at: now(),
          updated_at: now(),
          ...cellsOf(TEAM_FIELDS, fields),
        };
        await trx.insertInto('gateway_groups').values(row).execute();
        const budget = await budgetRowOf(trx, fields.budgetId);
        await createAccount(trx, groupAccount(kind, id), startWindow(budget, now()));
        const after = await get(trx, id);
        note(`${REASONS[kind]}.create`, id, { after });
        return after;
      }),
    list: async ({ skip, limit }, query = {}) => {
      await ledger.sync();
      const rows = await foundGroups(db, { kind, query, now: now() }).limit(limit).offset(skip).execute();
      return rows.map((row) => groupOf(row, clock.now()));
    },
    get: async (id) => {
      await ledger.sync();
      return await get(db, id);
    },
    change: async (id, changes) => {
      await ledger.sync();
      return await revision.change(async (trx, note) => {
        checkFields(TEAM_FIELDS, changes);
        const before = await get(trx, id);
        await requireOrganization(trx, changes.organizationId);
        if (changes.budgetId !== undefined && changes.budgetId !== before.budgetId) {
          const budget = await budgetRowOf(trx, changes.budgetId);
          await moveWindow(trx, groupAccount(kind, id), startWindow(budget, now()));
        }
        await trx
          .updateTable('gateway_groups')
          .set({ ...cellsOf(TEAM_FIELDS, changes), updated_at: now() })
          .where('kind', '=', kind)
          .where('id', '=', id)
          .execute();
        const after = await get(trx, id);
        note(`${REASONS[kind]}.update`, id, { before, after });
        return after;
      });
    },
    delete: async (id) =>
      await revision.change(async (trx, note) => {
        note(`${REASONS[kind]}.delete`, id, { before: await get(trx, id) });
        if (kind === 'org') await requireNoTeams(trx, id);
        else await dissolveTeam(trx, id, now());
        // The account is kept, because requests may still be running.
        await trx.deleteFrom('gateway_groups').where('kind', '=', kind).where('id', '=', id).execute();
      }),
  };
}

const ID_FIELDS: Readonly<Record<GroupKind, string>> = { team: 'team_id', org: 'organization_id' };
const REASONS: Readonly<Record<GroupKind, string>> = { team: 'team', org: 'organization' };

export function missingGroup(kind: GroupKind, id: string): never {
  throw notFound(`${GROUP_NOUNS[kind]} with id '${id}' not found`, `${REASONS[kind]}_not_found`);
}

/** Throws a NotFoundError if the group does not exist. */
export async function requireGroup(trx: Kysely<Schema>, kind: GroupKind, id: string): Promise<void> {
  const row = isStorable(id)
    ? await trx
        .selectFrom('gateway_groups')
        .select('id')
        .where('kind', '=', kind)
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined;
  if (!row) missingGroup(kind, id);
}

async function requireOrganization(trx: Transaction<Schema>, id: string | null | undefined): Promise<void> {
  if (id !== undefined && id !== null) await requireGroup(trx, 'org', id);
}

async function requireNoTeams(trx: Transaction<Schema>, id: string): Promise<void> {
  const { teams } = await trx
    .selectFrom('gateway_groups')
    .select((row) => row.fn.countAll<number>().as('teams'))
    .where('parent_id', '=', id)
    .executeTakeFirstOrThrow();
  if (teams === 0) return;
  throw new AppError(
    'ConflictError',
    `Organization with id '${id}' has ${teams} team${teams === 1 ? '' : 's'}; delete them first, or assign them to another organization`,
    { reason: 'organization_in_use' },
  );
}

/**
 * Removes a team's members, invitations and secrets, disables its keys, and deletes its service accounts with
 * their keys.
 */
async function dissolveTeam(trx: Transaction<Schema>, teamId: string, now: number): Promise<void> {
  await trx.deleteFrom('gateway_team_members').where('team_id', '=', teamId).execute();
  await trx.deleteFrom('gateway_invitations').where('team_id', '=', teamId).execute();
  const { owner_id: ownerId } = await trx
    .selectFrom('gateway_groups')
    .select('owner_id')
    .where('kind', '=', 'team')
    .where('id', '=', teamId)
    .executeTakeFirstOrThrow();
  await trx.deleteFrom('gateway_secrets').where(isOfTeam(ownerId)).execute();
  await trx
    .updateTable('gateway_keys')
    .set({ is_active: 0, updated_at: now })
    .where((row) =>
      row.or([
        row('team_id', '=', teamId),
        row('user_id', 'in', row.selectFrom('gateway_users').select('user_id').where('team_id', '=', teamId)),
      ]),
    )
    .execute();
  await trx
    .updateTable('gateway_users')
    .set({ deleted_at: now, updated_at: now })
    .where('team_id', '=', teamId)
    .where('deleted_at', 'is', null)
    .execute();
}

const CREATED = { by: 'created_at', isDescending: false } as const;

/** Selects the teams or organizations for a list. */
function foundGroups(
  db: Kysely<Schema>,
  { kind, query, now }: { readonly kind: GroupKind; readonly query: GroupQuery; readonly now: number },
): ReturnType<typeof selectGroups> {
  const { ids, search, status, organizationId, order = CREATED } = query;
  const all = selectGroups(db, kind);
  const found = (ids === undefined ? all : all.where((row) => inTeams(row.ref('gateway_groups.id'), ids)))
    .where(containsInAnyCase(['gateway_groups.id', 'alias'], search))
    .where(equalValues<GroupRow>({ parent_id: organizationId }))
    .where(hasAccountStatus(status));
  const values = {
    created_at: sql.ref('created_at'),
    team_id: textOrder('gateway_groups.id'),
    organization_id: textOrder('gateway_groups.id'),
    alias: textOrder('alias'),
    spend: spentAt(now),
  };
  return inOrder(found, order, { values, id: 'gateway_groups.id' });
}
