import type { Kysely, Selectable } from 'kysely';
import type { KeyRow, Schema } from '../../store/schema.ts';
import type { KeyGrant, RateLimits, UserGrant } from './identity.ts';
import { thresholdsOf } from './alert-columns.ts';
import { calendarOf } from './calendar-columns.ts';
import { issuerOf, modelsOf, scopeOf } from './key-rows.ts';
import { roleOf } from './user-rows.ts';

const USER_COLUMNS = [
  'gateway_users.user_id',
  'gateway_users.owner_id',
  'gateway_users.blocked',
  'gateway_users.deleted_at',
  'gateway_users.role',
  'gateway_users.team_id as user_team_id',
  'gateway_users.rpm as user_rpm',
  'gateway_users.tpm as user_tpm',
  'gateway_users.max_parallel as user_max_parallel',
  'gateway_budgets.max_budget_nano as user_max_budget_nano',
  'gateway_budgets.budget_duration_sec as user_budget_duration_sec',
  'gateway_budgets.calendar as user_calendar',
  'gateway_budgets.time_zone as user_time_zone',
  'gateway_budgets.alert_thresholds as user_alert_thresholds',
] as const;

export const selectUserGrants = (db: Kysely<Schema>) =>
  db
    .selectFrom('gateway_users')
    .leftJoin('gateway_budgets', 'gateway_budgets.budget_id', 'gateway_users.budget_id')
    .select(USER_COLUMNS);

export const selectKeyGrants = (db: Kysely<Schema>) =>
  db
    .selectFrom('gateway_keys')
    .innerJoin('gateway_users', 'gateway_users.user_id', 'gateway_keys.user_id')
    .leftJoin('gateway_budgets', 'gateway_budgets.budget_id', 'gateway_users.budget_id')
    .selectAll('gateway_keys')
    .select(USER_COLUMNS);

type UserGrantRow = Awaited<ReturnType<ReturnType<typeof selectUserGrants>['executeTakeFirstOrThrow']>>;
export type KeyGrantRow = Awaited<ReturnType<ReturnType<typeof selectKeyGrants>['executeTakeFirstOrThrow']>>;

/** The permissions of a user. Users without limits of their own get the defaults of the gateway. */
export function userGrantOf(row: UserGrantRow, defaults: RateLimits): UserGrant {
  return {
    userId: row.user_id,
    ownerId: row.owner_id,
    blocked: row.blocked === 1,
    deleted: row.deleted_at !== null,
    role: roleOf(row.role),
    teamId: row.user_team_id,
    limits: {
      rpm: row.user_rpm ?? defaults.rpm,
      tpm: row.user_tpm ?? defaults.tpm,
      maxParallel: row.user_max_parallel ?? defaults.maxParallel,
      maxBudget: row.user_max_budget_nano,
      budgetDurationSec: row.user_budget_duration_sec,
      budgetCalendar: calendarOf({ calendar: row.user_calendar, time_zone: row.user_time_zone }),
      alertThresholds: thresholdsOf({ alert_thresholds: row.user_alert_thresholds }),
    },
  };
}

export const limitsOfKey = (row: Selectable<KeyRow>): KeyGrant['limits'] => ({
  rpm: row.rpm,
  tpm: row.tpm,
  maxParallel: row.max_parallel,
  maxBudget: row.max_budget_nano,
  budgetDurationSec: row.budget_duration_sec,
  alertThresholds: thresholdsOf(row),
});

export function keyGrantOf(
  row: KeyGrantRow,
  defaults: RateLimits,
): { key: Omit<KeyGrant, 'boundBy'>; user: UserGrant } {
  const key = {
    id: row.id,
    name: row.key_name,
    prefix: row.key_prefix,
    userId: row.user_id,
    teamId: row.team_id,
    scope: scopeOf(row.scope),
    issuer: issuerOf(row.issuer),
    isActive: row.is_active === 1,
    expiresAt: row.expires_at,
    allowedModels: modelsOf(row.allowed_models),
    logPrompts: row.log_prompts === null ? null : row.log_prompts === 1,
    limits: limitsOfKey(row),
  };
  return { key, user: userGrantOf(row, defaults) };
}
