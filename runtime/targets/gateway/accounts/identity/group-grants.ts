import type { Kysely } from 'kysely';
import { keysOf } from '#core/values/keys.ts';
import { groupAccount } from '../../store/account-ids.ts';
import type { GroupKind, Schema } from '../../store/schema.ts';
import type { GroupGrant } from './identity.ts';
import { thresholdsOf } from './alert-columns.ts';
import { calendarOf } from './calendar-columns.ts';
import { GROUP_NOUNS } from './group-rows.ts';
import { modelsOf, valuesOf } from '../../store/field-columns.ts';
import { limitsIn } from '../fields/budget-limits.ts';
import { NO_RATES, QUEUE_FIELDS, RATE_FIELDS } from '../fields/shared-fields.ts';

/**
 * The grants of a team and its organization; empty without a team. A deleted team gets a grant that rejects
 * all requests.
 */
export async function groupGrantsOf(
  db: Kysely<Schema>,
  teamId: string | null,
): Promise<readonly GroupGrant[]> {
  if (teamId === null) return [];
  const team = await rowOf(db, 'team', teamId);
  const parentId = team?.parent_id ?? null;
  if (parentId === null) return [grantOf('team', teamId, team)];
  return [grantOf('team', teamId, team), grantOf('org', parentId, await rowOf(db, 'org', parentId))];
}

/** The grant of a single team or organization; undefined if it does not exist. */
export async function groupGrantOf(
  db: Kysely<Schema>,
  kind: GroupKind,
  id: string,
): Promise<GroupGrant | undefined> {
  const row = await rowOf(db, kind, id);
  return row && grantOf(kind, id, row);
}

const rowOf = async (db: Kysely<Schema>, kind: GroupKind, id: string) =>
  await db
    .selectFrom('gateway_groups')
    .leftJoin('gateway_budgets', 'gateway_budgets.budget_id', 'gateway_groups.budget_id')
    .select([
      'owner_id',
      'blocked',
      'parent_id',
      'allowed_models',
      'no_shadow',
      ...keysOf(RATE_FIELDS),
      ...keysOf(QUEUE_FIELDS),
    ])
    .select(['max_budget_nano', 'budget_duration_sec', 'calendar', 'time_zone'])
    .select(['budget_limits', 'alert_thresholds'])
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst();

function grantOf(kind: GroupKind, id: string, row: Awaited<ReturnType<typeof rowOf>>): GroupGrant {
  return {
    kind,
    id,
    ownerId: row?.owner_id ?? '',
    account: groupAccount(kind, id),
    label: `${GROUP_NOUNS[kind]} '${id}'`,
    deleted: row === undefined,
    blocked: row?.blocked === 1,
    allowedModels: modelsOf(row?.allowed_models ?? null),
    noShadow: row?.no_shadow === 1,
    queue: row && valuesOf(QUEUE_FIELDS, row),
    limits: {
      ...(row ? valuesOf(RATE_FIELDS, row) : NO_RATES),
      maxBudget: row?.max_budget_nano ?? null,
      budgetDurationSec: row?.budget_duration_sec ?? null,
      budgetCalendar: calendarOf({ calendar: row?.calendar ?? null, time_zone: row?.time_zone ?? null }),
      budgetLimits: limitsIn(row?.budget_limits ?? null),
      alertThresholds: thresholdsOf({ alert_thresholds: row?.alert_thresholds ?? null }),
    },
  };
}
