import type { RateLimits } from '../fields/shared-fields.ts';
import { type NewUser, type User, USER_FIELDS, type UserChanges } from '../fields/users.ts';
import type { Manager } from './identity.ts';
import { requireTighter } from './require-tighter.ts';
import type { Members } from './groups-api.ts';
import { inputProblem, notFound } from './checks.ts';
import { isServiceAccountId } from './service-account-id.ts';
import { administersTeam, readsEverything, requireAdmin, requireTeamAdmin } from './manager.ts';

/**
 * Throws unless the manager is allowed to create a user: team administrators create the team's service
 * accounts, whose IDs start with the team's ID, so that they cannot take a person's ID. Returns whether the
 * ID must never have been used.
 */
export function permitNewUser(
  manager: Manager,
  { userId, teamId, ...changes }: NewUser,
  defaults: RateLimits,
): { readonly neverUsed: boolean } {
  if (teamId === null || teamId === undefined) requireAdmin(manager);
  else requireTeamAdmin(manager, teamId);
  if (manager.role === 'admin') return { neverUsed: false };
  requireTighter(USER_FIELDS, {}, changes, defaults);
  if (isServiceAccountId(userId, teamId) && userId.length > `${teamId}/`.length) return { neverUsed: true };
  throw inputProblem(
    'user_id',
    `Invalid user_id ${JSON.stringify(userId.slice(0, 50))}: the ID of a service account must start with the ID of its team. Use, for example, '${teamId}/ci'.`,
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
  if (manager.role !== 'admin') requireTighter(USER_FIELDS, user, changes, defaults);
}

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
