import type { Manager } from '../../accounts/identity/identity.ts';
import { AppError } from '#contract/errors.ts';
import type { UsageFilter } from '../../accounts/ledger/usage-api.ts';
import { administersTeam, originOf, readsEverything } from '../../accounts/identity/manager.ts';

/**
 * Restricts usage to what a manager can see: the user's own, or that of a team that the user administers, and not that of earlier users
 * or teams with the same id.
 */
export function permitUsage(manager: Manager, filter: UsageFilter): UsageFilter {
  const { userId } = manager;
  if (userId === null || readsEverything(manager)) return filter;
  if (filter.teamId !== undefined && administersTeam(manager, filter.teamId))
    return since(originOf(manager, 'team', filter.teamId), filter);
  if (filter.userId === undefined || filter.userId === userId)
    return since(originOf(manager, 'user', userId), { ...filter, userId });
  throw new AppError(
    'ForbiddenError',
    `User '${userId}' can only read the own usage, and that of teams with the role admin. Omit user_id, or set team_id.`,
    {
      reason: 'foreign_usage',
      details: [{ location: 'query.user_id', message: 'not the id of the caller’s user' }],
    },
  );
}

/** Usage from this time on. */
const since = <Filter extends { readonly from?: number | undefined }>(
  time: number,
  filter: Filter,
): Filter => ({ ...filter, from: Math.max(filter.from ?? 0, time) });
