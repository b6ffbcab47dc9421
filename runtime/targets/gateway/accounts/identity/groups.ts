import { randomUUID } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { groupAccount } from '../../store/account-ids.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { GroupKind, Schema } from '../../store/schema.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { Store } from '../../store/store.ts';
import { moveWindow, createAccount, startWindow } from './accounts.ts';
import { budgetRowOf } from './budget-row.ts';
import { checkFields, checkId, notFound } from './checks.ts';
import { dissolveTeam } from './dissolve-team.ts';
import { foundGroups } from './found-groups.ts';
import { GROUP_NOUNS, groupOf, selectGroups } from './group-rows.ts';
import { cellsOf, emptyCells } from '../../store/field-columns.ts';
import { type Group, TEAM_FIELDS } from '../fields/groups.ts';
import type { Groups } from './groups-api.ts';

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
        // The account stays, because requests can still be running.
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
