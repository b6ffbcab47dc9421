import type { Manager, User } from './identity.ts';
import type { Members } from './groups-api.ts';
import { notFound } from './checks.ts';
import { administersTeam, readsEverything, requireAdmin, requireTeamAdmin } from './manager.ts';

/** Throws unless the manager is allowed to create a user: administrators of a team create its service accounts. */
export function permitNewUser(manager: Manager, teamId: string | null | undefined): void {
  if (teamId === null || teamId === undefined) requireAdmin(manager);
  else requireTeamAdmin(manager, teamId);
}

/** Throws unless the manager is allowed to change or delete a user. */
export function permitUserChange(manager: Manager, user: User): void {
  if (user.teamId === null) requireAdmin(manager);
  else requireTeamAdmin(manager, user.teamId);
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
