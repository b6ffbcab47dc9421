import { membersOf } from '#core/json/members-of.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { recordOf } from '#core/values/keys.ts';
import type { BudgetLimit, LimitAnswer } from '../../accounts/fields/budget-limits.ts';
import { BUDGET_FIELDS } from '../../accounts/fields/budgets.ts';
import {
  type AnswerOf,
  type Field,
  type FieldTable,
  nameOf,
  type ValuesOf,
} from '../../accounts/fields/field.ts';
import { type Group, ORGANIZATION_FIELDS, TEAM_FIELDS } from '../../accounts/fields/groups.ts';
import { HOLDER_KEY_FIELDS, type Key, KEY_FIELDS } from '../../accounts/fields/keys.ts';
import { type User, USER_FIELDS } from '../../accounts/fields/users.ts';
import type { Invitation, Membership } from '../../accounts/identity/groups-api.ts';
import type { Tag } from '../../accounts/identity/identity.ts';
import type { AccountState, Quota, Budget, BudgetReset } from '../../accounts/ledger/ledger.ts';
import { dollarsOf } from '../../shared/money.ts';
import { groupAccount } from '../../store/account-ids.ts';
import type { GroupKind } from '../../store/schema.ts';
import { dollarsOrNull, rfc3339OrNull } from '../http/values.ts';

/** An object in a response. */
function viewOf<Table extends FieldTable>(table: Table, object: ValuesOf<NoInfer<Table>>): AnswerOf<Table> {
  const values = membersOf(object);
  return recordOf(
    Object.entries(table).map(([name, field]): [string, unknown] => [
      name,
      fieldView(field, values[nameOf(name, field)] ?? null),
    ]),
  ) as object as AnswerOf<Table>;
}

function fieldView(field: Field, value: unknown): unknown {
  if (typeof value === 'bigint') return dollarsOf(value);
  if (field.kind === 'parts' && value !== null) {
    const parts = membersOf(value);
    return recordOf(
      Object.entries<Field>(field.parts).map(([name, part]): [string, unknown] => [
        name,
        fieldView(part, parts[nameOf(name, part)] ?? null),
      ]),
    );
  }
  if (field.kind === 'limits' && value !== null) return (value as readonly BudgetLimit[]).map(limitView);
  const isTime = field.kind === 'time' || field.kind === 'timeOrNull';
  return isTime && typeof value === 'number' ? rfc3339(value) : value;
}

const limitView = (limit: BudgetLimit): LimitAnswer => ({
  max_budget: dollarsOf(limit.maxBudget),
  budget_duration_sec: limit.budgetDurationSec,
  calendar: limit.calendar,
  time_zone: limit.timeZone,
  models: limit.models,
});

export const userView = (one: User) => viewOf(USER_FIELDS, one);
export const keyView = (one: Key) => viewOf(KEY_FIELDS, one);
export const teamView = (one: Group) => viewOf(TEAM_FIELDS, one);
export const organizationView = (one: Group) => viewOf(ORGANIZATION_FIELDS, one);
export const budgetView = ({ calendar, ...one }: Budget) =>
  viewOf(BUDGET_FIELDS, {
    ...one,
    calendar: calendar?.unit ?? null,
    timeZone: calendar?.timeZone ?? null,
  });

/** The key with its secret, which is not part of any other response. */
export function createdKeyView({ key: one, secret }: { readonly key: Key; readonly secret: string }) {
  const { last_used_at: _, ...view } = keyView(one);
  return { ...view, key: secret };
}

/** The key as its holder sees it, without the administrators' metadata. */
export function ownKeyView(one: Key, { user, key, shared, limits }: Quota) {
  if (!key) throw new Error(`the key ${one.id} has no account`);
  const stateOf = (kind: GroupKind): AccountState | undefined =>
    shared.find(({ account }) => account.startsWith(groupAccount(kind, '')))?.state;
  const [team, organization] = [stateOf('team'), stateOf('org')];
  return {
    ...viewOf(HOLDER_KEY_FIELDS, one),
    quota: {
      user: accountView(user),
      key: accountView(key),
      ...(team && { team: accountView(team) }),
      ...(organization && { organization: accountView(organization) }),
      ...(limits.length > 0 && {
        limits: limits.map(({ name, models, state }) => ({ name, models, ...limitStateView(state) })),
      }),
    },
  };
}

const limitStateView = (account: AccountState) => ({
  spend: dollarsOf(account.spent),
  reserved: dollarsOf(account.reserved),
  max_budget: dollarsOrNull(account.maxBudget),
  remaining: dollarsOrNull(account.remaining),
  budget_started_at: rfc3339OrNull(account.budgetStartedAt),
  next_budget_reset_at: rfc3339OrNull(account.nextBudgetResetAt),
});

const accountView = (account: AccountState) => ({
  ...limitStateView(account),
  requests: account.requests,
  tokens: account.tokens,
  parallel: account.parallel,
});

export const invitationView = (one: Invitation) => ({
  ...memberView(one),
  invited_by: one.invitedBy,
  expires_at: rfc3339(one.expiresAt),
});

export const memberView = (one: Membership) => ({
  team_id: one.teamId,
  user_id: one.userId,
  role: one.role,
  created_at: rfc3339(one.createdAt),
});

export const budgetResetView = (reset: BudgetReset) => ({
  id: reset.id,
  user_id: reset.userId,
  previous_spend: dollarsOf(reset.previousSpend),
  reset_at: rfc3339(reset.resetAt),
  next_reset_at: rfc3339OrNull(reset.nextResetAt),
});

export const tagView = (one: Tag) => ({
  tag: one.tag,
  budget_id: one.budgetId,
  spend: dollarsOf(one.spent),
  reserved: dollarsOf(one.reserved),
  budget_started_at: rfc3339OrNull(one.budgetStartedAt),
  next_budget_reset_at: rfc3339OrNull(one.nextBudgetResetAt),
  created_at: rfc3339(one.createdAt),
  updated_at: rfc3339(one.updatedAt),
});
