import type { Static } from 'typebox';
import { dollarsOf } from '../../shared/money.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { User } from '../../accounts/identity/identity.ts';
import type { user } from './schemas.ts';
import { timeOrNull } from '../http/time-view.ts';

export const userView = (one: User): Static<typeof user> => ({
  user_id: one.userId,
  alias: one.alias,
  spend: dollarsOf(one.spent),
  reserved: dollarsOf(one.reserved),
  budget_id: one.budgetId,
  budget_started_at: timeOrNull(one.budgetStartedAt),
  next_budget_reset_at: timeOrNull(one.nextBudgetResetAt),
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
