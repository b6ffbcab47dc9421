import { AppError } from '#contract/errors.ts';
import type { Members, Origins } from './groups-api.ts';
import type { UserRole } from '../fields/users.ts';
import type { Caller, Manager } from './identity.ts';
import type { Visible } from './list-queries.ts';

const NO_ORIGINS: Origins = { user: 0, teams: new Map() };

export async function managerOf(
  caller: Caller,
  members: Pick<Members, 'ofUser' | 'originsOf'>,
): Promise<Manager> {
  if (caller.kind === 'master')
    return { role: 'admin', userId: null, isOwn: false, memberships: [], origins: NO_ORIGINS };
  const { userId, role } = caller.user;
  const isOwn = caller.key.issuer === 'own';
  if (role !== 'member') return { role, userId, isOwn, memberships: [], origins: NO_ORIGINS };
  const [memberships, origins] = await Promise.all([members.ofUser(userId), members.originsOf(userId)]);
  return { role, userId, isOwn, memberships, origins };
}

/**
 * Time from which a manager sees data with the ID of a user or team. IDs can be reused, and the usage of
 * earlier users and teams is kept for billing.
 */
export function originOf(
  { origins, userId, ...manager }: Manager,
  kind: 'user' | 'team',
  id: string,
): number {
  if (manager.role !== 'member') return 0;
  if (kind === 'user') return id === userId ? origins.user : Infinity;
  return origins.teams.get(id) ?? Infinity;
}

/** Throws a ForbiddenError for callers that cannot change everything. */
export function requireAdmin(manager: Manager): void {
  if (manager.role !== 'admin') throw needsRole(manager, 'admin');
}

/** Throws a ForbiddenError for callers that cannot read everything. */
export function requireReader(manager: Manager): void {
  if (!readsEverything(manager)) throw needsRole(manager, 'viewer');
}

/** Throws a ForbiddenError for callers that cannot change anything. */
export function requireChanger(manager: Manager): void {
  if (manager.role === 'viewer') throw needsRole(manager, 'admin');
}

/** Throws a ForbiddenError for callers that cannot manage a team's members, keys and service accounts. */
export function requireTeamAdmin(manager: Manager, teamId: string): void {
  if (manager.role === 'admin' || administersTeam(manager, teamId)) return;
  throw forbidden(`This requires the role admin in team '${teamId}'.`);
}

export const readsEverything = ({ role }: Manager): boolean => role !== 'member';

export const administersTeam = ({ memberships }: Manager, teamId: string | null): boolean =>
  memberships.some((one) => one.teamId === teamId && one.role === 'admin');

export const belongsToTeam = ({ memberships }: Manager, teamId: string | null): boolean =>
  memberships.some((one) => one.teamId === teamId);

export function visibleTo(manager: Manager): Visible {
  if (manager.userId === null || readsEverything(manager)) return 'everything';
  const administered = manager.memberships.filter(({ role }) => role === 'admin');
  return { userId: manager.userId, teamIds: administered.map(({ teamId }) => teamId) };
}

const needsRole = ({ role, userId }: Manager, needed: UserRole): AppError =>
  forbidden(`This requires the role ${needed}; user '${userId ?? ''}' has the role ${role}.`);

export const forbidden = (message: string): AppError =>
  new AppError('ForbiddenError', message, { reason: 'role_required' });
