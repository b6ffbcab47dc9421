import type { Kysely, Selectable } from 'kysely';
import type { KeyRow, Schema } from '../../store/schema.ts';
import { valuesOf } from '../../store/field-columns.ts';
import { pickFields } from '../fields/field.ts';
import { KEY_FIELDS } from '../fields/keys.ts';
import { RATE_FIELDS, type RateLimits } from '../fields/shared-fields.ts';
import { USER_ROLES } from '../fields/users.ts';
import type { KeyGrant, UserGrant } from './identity.ts';
import { thresholdsOf } from './alert-columns.ts';
import { calendarOf } from './calendar-columns.ts';
import { issuerOf } from './key-rows.ts';

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
    role: USER_ROLES.find((role) => role === row.role) ?? 'member',
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
  ...valuesOf(RATE_FIELDS, row),
  maxBudget: row.max_budget_nano,
  budgetDurationSec: row.budget_duration_sec,
  alertThresholds: thresholdsOf(row),
});

export function keyGrantOf(
  row: KeyGrantRow,
  defaults: RateLimits,
): { key: Omit<KeyGrant, 'boundBy'>; user: UserGrant } {
  const { keyName: name, keyPrefix: prefix, ...values } = valuesOf(GRANTED_FIELDS, row);
  const key = { ...values, name, prefix, issuer: issuerOf(row.issuer), limits: limitsOfKey(row) };
  return { key, user: userGrantOf(row, defaults) };
}

const GRANTED_FIELDS = pickFields(KEY_FIELDS, [
  'id',
  'key_prefix',
  'key_name',
  'user_id',
  'team_id',
  'scope',
  'expires_at',
  'is_active',
  'allowed_models',
  'log_prompts',
]);
