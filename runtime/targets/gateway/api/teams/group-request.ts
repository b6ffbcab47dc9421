import type { Static } from 'typebox';
import type { GroupChanges } from '../../accounts/identity/groups-api.ts';
import type { teamChanges } from './schemas.ts';

type Body = Omit<Static<typeof teamChanges>, 'organization_id'>;

/** Converts the fields that teams and organizations have in common; null clears a field. */
export const groupChangesIn = (body: Body): GroupChanges => ({
  alias: body.alias,
  budgetId: body.budget_id,
  blocked: body.blocked,
  allowedModels: body.allowed_models,
  metadata: body.metadata === null ? {} : body.metadata,
  rpm: body.rpm,
  tpm: body.tpm,
  maxParallel: body.max_parallel,
});
