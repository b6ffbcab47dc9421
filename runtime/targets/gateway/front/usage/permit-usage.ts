import type { Manager } from '../../accounts/identity/identity.ts';
import { AppError } from '../../../../contract/errors.ts';
import type { UsageFilter } from '../../accounts/ledger/usage-api.ts';
import { administersTeam, readsEverything } from '../../accounts/identity/manager.ts';

/** Restricts usage to what a manager can see: the user's own, or that of a team that the user administers. */
export function permitUsage(manager: Manager, filter: UsageFilter): UsageFilter {
  const { userId } = manager;
  if (userId === null || readsEverything(manager)) return filter;
  if (filter.teamId !== undefined && administersTeam(manager, filter.teamId)) return filter;
  if (filter.userId === undefined || filter.userId === userId) return { ...filter, userId };
  throw new AppError(
    'ForbiddenError',
    `User '${userId}' can only read the own usage, and that of teams with the role admin. Omit user_id, or set team_id.`,
    {
      reason: 'foreign_usage',
      details: [{ location: 'query.user_id', message: 'not the id of the caller’s user' }],
    },
  );
}
