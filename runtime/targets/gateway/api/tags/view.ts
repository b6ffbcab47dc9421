import type { Static } from 'typebox';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { Tag } from '../../accounts/identity/identity.ts';
import { dollarsOf } from '../../shared/money.ts';
import { timeOrNull } from '../http/time-view.ts';
import type { tag } from './schemas.ts';

export const tagView = (one: Tag): Static<typeof tag> => ({
  tag: one.tag,
  budget_id: one.budgetId,
  spend: dollarsOf(one.spent),
  reserved: dollarsOf(one.reserved),
  budget_started_at: timeOrNull(one.budgetStartedAt),
  next_budget_reset_at: timeOrNull(one.nextBudgetResetAt),
  created_at: rfc3339(one.createdAt),
  updated_at: rfc3339(one.updatedAt),
});
