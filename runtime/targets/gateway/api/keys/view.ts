import type { GroupKind } from '../../store/schema.ts';
import type { Static } from 'typebox';
import { dollarsOf } from '../../shared/money.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { Key } from '../../accounts/identity/identity.ts';
import type { AccountState, Quota } from '../../accounts/ledger/ledger.ts';
import { groupAccount } from '../../store/account-ids.ts';
import type { createdKey, key, ownKey } from './schemas.ts';
import { dollarsOrNull } from '../http/money-view.ts';
import { timeOrNull } from '../http/time-view.ts';

export const keyView = (one: Key): Static<typeof key> => ({
  ...settingsOf(one),
  last_used_at: timeOrNull(one.lastUsedAt),
});

/** The key with its secret, which no other answer contains. */
export const createdKeyView = ({
  key: one,
  secret,
}: {
  readonly key: Key;
  readonly secret: string;
}): Static<typeof createdKey> => ({ ...settingsOf(one), key: secret });

/** The key as its holder sees it, without the metadata of administrators. */
export function ownKeyView(one: Key, { user, key, shared }: Quota): Static<typeof ownKey> {
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
  expires_at: timeOrNull(one.expiresAt),
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

const accountView = (account: AccountState): Static<typeof ownKey>['quota']['user'] => ({
  spend: dollarsOf(account.spent),
  reserved: dollarsOf(account.reserved),
  max_budget: dollarsOrNull(account.maxBudget),
  remaining: dollarsOrNull(account.remaining),
  budget_started_at: timeOrNull(account.budgetStartedAt),
  next_budget_reset_at: timeOrNull(account.nextBudgetResetAt),
  requests: account.requests,
  tokens: account.tokens,
  parallel: account.parallel,
});
