import { rfc3339 } from '#core/time/rfc3339.ts';
import type { Group, Invitation, Membership } from '../../accounts/identity/groups-api.ts';
import type { User, Key, Tag } from '../../accounts/identity/identity.ts';
import type { AccountState, Quota, Budget, BudgetReset } from '../../accounts/ledger/ledger.ts';
import { dollarsOf } from '../../shared/money.ts';
import { groupAccount } from '../../store/account-ids.ts';
import type { GroupKind } from '../../store/schema.ts';
import { dollarsOrNull, rfc3339OrNull } from '../http/values.ts';

export const userView = (one: User) => ({
  user_id: one.userId,
  alias: one.alias,
  spend: dollarsOf(one.spent),
  reserved: dollarsOf(one.reserved),
  budget_id: one.budgetId,
  budget_started_at: rfc3339OrNull(one.budgetStartedAt),
  next_budget_reset_at: rfc3339OrNull(one.nextBudgetResetAt),
  blocked: one.blocked,
  rpm: one.rpm,
  tpm: one.tpm,
  max_parallel: one.maxParallel,
  created_at: rfc3339(one.createdAt),
  updated_at: rfc3339(one.updatedAt),
  metadata: one.metadata,
  role: one.role,
  team_id: one.teamId,
});

export const keyView = (one: Key) => ({
  ...settingsOf(one),
  last_used_at: rfc3339OrNull(one.lastUsedAt),
});

/** The key with its secret, which no other answer contains. */
export const createdKeyView = ({ key: one, secret }: { readonly key: Key; readonly secret: string }) => ({
  ...settingsOf(one),
  key: secret,
});

/** The key as its holder sees it, without the metadata of administrators. */
export function ownKeyView(one: Key, { user, key, shared }: Quota) {
  if (!key) throw new Error(`the key ${one.id} has no account`);
  const stateOf = (kind: GroupKind): AccountState | undefined =>
    shared.find(({ account }) => account.startsWith(groupAccount(kind, '')))?.state;
  const [team, organization] = [stateOf('team'), stateOf('org')];
  return {
    ...summaryOf(one),
    quota: {
      user: accountView(user),
      key: accountView(key),
      ...(team && { team: accountView(team) }),
      ...(organization && { organization: accountView(organization) }),
    },
  };
}

const summaryOf = (one: Key) => ({
  id: one.id,
  key_prefix: one.keyPrefix,
  key_name: one.keyName,
  user_id: one.userId,
  team_id: one.teamId,
  scope: one.scope,
  created_at: rfc3339(one.createdAt),
  expires_at: rfc3339OrNull(one.expiresAt),
  is_active: one.isActive,
  status: one.status,
  allowed_models: one.allowedModels && [...one.allowedModels],
});

const settingsOf = (one: Key) => ({
  ...summaryOf(one),
  metadata: one.metadata,
  rpm: one.rpm,
  tpm: one.tpm,
  max_parallel: one.maxParallel,
  budget: one.budget && {
    max_budget: dollarsOrNull(one.budget.maxBudget),
    budget_duration_sec: one.budget.budgetDurationSec,
    alert_thresholds: one.budget.alertThresholds ? [...one.budget.alertThresholds] : null,
  },
  log_prompts: one.logPrompts,
  spend: dollarsOf(one.spent),
});

const accountView = (account: AccountState) => ({
  spend: dollarsOf(account.spent),
  reserved: dollarsOf(account.reserved),
  max_budget: dollarsOrNull(account.maxBudget),
  remaining: dollarsOrNull(account.remaining),
  budget_started_at: rfc3339OrNull(account.budgetStartedAt),
  next_budget_reset_at: rfc3339OrNull(account.nextBudgetResetAt),
  requests: account.requests,
  tokens: account.tokens,
  parallel: account.parallel,
});

export const teamView = (one: Group) => ({
  team_id: one.id,
  organization_id: one.organizationId,
  ...groupView(one),
});

/** The fields that teams and organizations have in common. */
const groupView = (one: Group) => ({
  alias: one.alias,
  spend: dollarsOf(one.spent),
  reserved: dollarsOf(one.reserved),
  budget_id: one.budgetId,
  budget_started_at: rfc3339OrNull(one.budgetStartedAt),
  next_budget_reset_at: rfc3339OrNull(one.nextBudgetResetAt),
  blocked: one.blocked,
  allowed_models: one.allowedModels && [...one.allowedModels],
  rpm: one.rpm,
  tpm: one.tpm,
  max_parallel: one.maxParallel,
  metadata: one.metadata,
  created_at: rfc3339(one.createdAt),
  updated_at: rfc3339(one.updatedAt),
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

export const organizationView = (one: Group) => ({
  organization_id: one.id,
  ...groupView(one),
});

export const budgetView = (one: Budget) => ({
  budget_id: one.budgetId,
  name: one.name,
  max_budget: dollarsOrNull(one.maxBudget),
  budget_duration_sec: one.budgetDurationSec,
  calendar: one.calendar?.unit ?? null,
  time_zone: one.calendar?.timeZone ?? null,
  alert_thresholds: one.alertThresholds === null ? null : [...one.alertThresholds],
  created_at: rfc3339(one.createdAt),
  updated_at: rfc3339(one.updatedAt),
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
