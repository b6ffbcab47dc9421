import type { Manager, Key, KeyChanges, NewKey, Users } from './identity.ts';
import type { Members } from './groups-api.ts';
import { notFound } from './checks.ts';
import { administersTeam, belongsToTeam, forbidden, readsEverything, requireChanger } from './manager.ts';

interface PolicyParts {
  readonly users: Pick<Users, 'get'>;
  readonly members: Pick<Members, 'ofUser'>;
}

/**
 * Returns the key that a manager is allowed to create, with its owner. Members create keys for themselves, within their teams, so
 * that the budgets and the models of a team apply. Administrators of a team create keys for its members and service accounts.
 */
export async function permitNewKey(manager: Manager, key: NewKey, parts: PolicyParts): Promise<NewKey> {
  requireChanger(manager);
  const { userId: own } = manager;
  if (manager.role === 'admin' || own === null) return key;
  const { userId = own, teamId = null, scope = 'models' } = key;
  if (scope === 'manage') {
    if (userId !== own) throw forbidden('Members can create keys with the scope manage only for themselves.');
    return { ...key, userId };
  }
  if (teamId === null) throw forbidden('Members can create keys only for a team. Set team_id.');
  if (!belongsToTeam(manager, teamId)) throw forbidden(`User '${own}' is not a member of team '${teamId}'.`);
  if (userId === own) return { ...key, userId };
  if (!administersTeam(manager, teamId)) {
    throw forbidden(`Keys of other users require the role admin in team '${teamId}'.`);
  }
  if (!(await isInTeam(userId, teamId, parts))) {
    throw forbidden(`User '${userId}' is not a member of team '${teamId}'. Add the user to the team first.`);
  }
  return { ...key, userId };
}

async function isInTeam(userId: string, teamId: string, { users, members }: PolicyParts): Promise<boolean> {
  const { teamId: serviceTeam } = await users.get(userId);
  if (serviceTeam === teamId) return true;
  return (await members.ofUser(userId)).some((one) => one.teamId === teamId);
}

/** Throws a NotFoundError for a key that the manager cannot see. */
export function requireVisibleKey(manager: Manager, key: Key): Key {
  if (readsEverything(manager) || ownsKey(manager, key) || administersTeam(manager, key.teamId)) return key;
  throw notFound(`API key with id '${key.id}' not found`, 'key_not_found');
}

/** Throws unless the manager is allowed to delete a key or replace its secret. */
export function permitKeyReplacement(manager: Manager, key: Key): void {
  requireVisibleKey(manager, key);
  requireChanger(manager);
}

/** Throws unless the manager is allowed to make changes of a key. Owners cannot change limits that others have set. */
export function permitKeyChange(manager: Manager, key: Key, changes: KeyChanges): void {
  permitKeyReplacement(manager, key);
  if (manager.role === 'admin' || administersTeam(manager, key.teamId)) return;
  const { keyName: _, isActive, ...others } = changes;
  const isOwnersChange = isActive !== true && Object.values(others).every((value) => value === undefined);
  if (!isOwnersChange) throw forbidden('Owners can only rename and disable their keys.');
}

const ownsKey = ({ userId }: Manager, key: Key): boolean => userId !== null && key.userId === userId;
