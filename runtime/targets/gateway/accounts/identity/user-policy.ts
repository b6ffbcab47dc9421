import type { Manager, RateLimits, User, UserChanges } from './identity.ts';
import type { Members } from './groups-api.ts';
import { inputProblem, notFound } from './checks.ts';
import { administersTeam, forbidden, readsEverything, requireAdmin, requireTeamAdmin } from './manager.ts';

/**
 * Throws unless the manager is allowed to create a user: administrators of a team create its service accounts, whose ids start with that
 * of the team, so that they cannot take the id of a person. Returns whether the id must never have been used.
 */
export function permitNewUser(
  manager: Manager,
  {
    userId,
    teamId,
    ...changes
  }: UserChanges & { readonly userId: string; readonly teamId?: string | null | undefined },
  defaults: RateLimits,
): { readonly neverUsed: boolean } {
  if (teamId === null || teamId === undefined) requireAdmin(manager);
  else requireTeamAdmin(manager, teamId);
  if (manager.role === 'admin') return { neverUsed: false };
  requireTighter(NEW, changes, defaults);
  if (userId.startsWith(`${teamId}/`) && userId.length > `${teamId}/`.length) return { neverUsed: true };
  throw inputProblem(
    'user_id',
    `Invalid user_id ${JSON.stringify(userId.slice(0, 50))}: the id of a service account starts with its team. Use for example '${teamId}/ci'.`,
  );
}

/** Throws unless the manager is allowed to change or delete a user. */
export function permitUserChange(
  manager: Manager,
  user: User,
  changes: UserChanges,
  defaults: RateLimits,
): void {
  if (user.teamId === null) requireAdmin(manager);
  else requireTeamAdmin(manager, user.teamId);
  if (manager.role !== 'admin') requireTighter(user, changes, defaults);
}

type UserLimits = RateLimits & Pick<User, 'budgetId' | 'blocked'>;

const NEW: UserLimits = { rpm: null, tpm: null, maxParallel: null, budgetId: null, blocked: false };

/**
 * Throws if an administrator of a team gives a service account more than it has. Unlike those of keys, limits of users replace the defaults of
 * the configuration, and budgets and blocks of users are set by administrators of the gateway.
 */
function requireTighter(before: UserLimits, changes: UserChanges, defaults: RateLimits): void {
  if (changes.budgetId !== undefined && changes.budgetId !== before.budgetId)
    throw forbidden('budget_id cannot be changed: it requires the role admin of the gateway.');
  if (changes.blocked === false && before.blocked)
    throw forbidden('blocked cannot be set to false: it requires the role admin of the gateway.');
  for (const [name, limit] of Object.entries(RATES)) {
    const changed = changes[limit];
    if (changed === undefined) continue;
    const highest = before[limit] ?? defaults[limit] ?? Infinity;
    if ((changed ?? defaults[limit] ?? Infinity) <= highest) continue;
    throw forbidden(
      `${name} cannot be above ${highest}, the limit of the user: it requires the role admin of the gateway.`,
    );
  }
}

const RATES = { rpm: 'rpm', tpm: 'tpm', max_parallel: 'maxParallel' } as const;

/** Throws a NotFoundError for a user that the manager cannot see. */
export async function requireVisibleUser(
  manager: Manager,
  user: User,
  members: Pick<Members, 'ofUser'>,
): Promise<User> {
  if (readsEverything(manager) || user.userId === manager.userId) return user;
  if (administersTeam(manager, user.teamId)) return user;
  const memberships = await members.ofUser(user.userId);
  if (memberships.some(({ teamId }) => administersTeam(manager, teamId))) return user;
  throw notFound(`User with id '${user.userId}' not found`, 'user_not_found');
}
