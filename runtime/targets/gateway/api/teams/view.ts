import type { Static } from 'typebox';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { Group, Invitation, Membership } from '../../accounts/identity/groups-api.ts';
import { dollarsOf } from '../../shared/money.ts';
import { timeOrNull } from '../http/time-view.ts';
import type { invitation, member, team } from './schemas.ts';

export const teamView = (one: Group): Static<typeof team> => ({
  team_id: one.id,
  organization_id: one.organizationId,
  ...groupView(one),
});

/** The fields that teams and organizations have in common. */
export const groupView = (one: Group): Omit<Static<typeof team>, 'team_id' | 'organization_id'> => ({
  alias: one.alias,
  spend: dollarsOf(one.spent),
  reserved: dollarsOf(one.reserved),
  budget_id: one.budgetId,
  budget_started_at: timeOrNull(one.budgetStartedAt),
  next_budget_reset_at: timeOrNull(one.nextBudgetResetAt),
  blocked: one.blocked,
  allowed_models: one.allowedModels && [...one.allowedModels],
  rpm: one.rpm,
  tpm: one.tpm,
  max_parallel: one.maxParallel,
  metadata: one.metadata,
  created_at: rfc3339(one.createdAt),
  updated_at: rfc3339(one.updatedAt),
});

export const invitationView = (one: Invitation): Static<typeof invitation> => ({
  ...memberView(one),
  invited_by: one.invitedBy,
  expires_at: rfc3339(one.expiresAt),
});

export const memberView = (one: Membership): Static<typeof member> => ({
  team_id: one.teamId,
  user_id: one.userId,
  role: one.role,
  created_at: rfc3339(one.createdAt),
});
