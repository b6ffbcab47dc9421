import { AppError } from '#contract/errors.ts';
import { membersOf } from '#core/json/members-of.ts';
import { type Field, nameOf } from '../fields/field.ts';
import { type Key, KEY_FIELDS, type KeyChanges, type KeyIssuer, type NewKey } from '../fields/keys.ts';
import type { Manager, Users } from './identity.ts';
import { requireTighter } from './require-tighter.ts';
import type { Members } from './groups-api.ts';
import { notFound } from './checks.ts';
import {
  administersTeam,
  belongsToTeam,
  forbidden,
  originOf,
  readsEverything,
  requireChanger,
} from './manager.ts';

interface PolicyParts {
  readonly users: Pick<Users, 'get'>;
  readonly members: Pick<Members, 'ofUser'>;
}

/**
 * Returns the key that a manager is allowed to create, with its owner. Members create keys for themselves
 * within their teams, so that a team's budgets and models apply. Team administrators create keys for the
 * team's members and service accounts.
 */
export async function permitNewKey(manager: Manager, key: NewKey, parts: PolicyParts): Promise<NewKey> {
  requireChanger(manager);
  const { userId: own } = manager;
  if (manager.role === 'admin' || own === null) return { ...key, issuer: issuerFor(manager, key.userId) };
  requireTighter(KEY_FIELDS, {}, key);
  const { userId = own, teamId = null, scope = 'models' } = key;
  const issuer = issuerFor(manager, userId);
  if (scope === 'manage') {
    if (userId !== own) throw forbidden('Members can only create keys with the scope manage for themselves.');
    return { ...key, userId, issuer };
  }
  if (teamId === null) throw forbidden('Members can create keys only for a team. Set team_id.');
  if (!belongsToTeam(manager, teamId)) throw forbidden(`User '${own}' is not a member of team '${teamId}'.`);
  const isAdmin = administersTeam(manager, teamId);
  if (userId === own) return isAdmin ? { ...key, userId, issuer } : selfMade({ ...key, userId, issuer });
  if (!isAdmin) {
    throw forbidden(`Creating keys for other users requires the role admin in team '${teamId}'.`);
  }
  if (!(await isInTeam(userId, teamId, parts))) {
    throw forbidden(`User '${userId}' is not a member of team '${teamId}'. Add the user to the team first.`);
  }
  return { ...key, userId, issuer };
}

/**
 * A key that a member creates for themselves. The limits of keys that others created for the member in the
 * team apply to it as well.
 */
const selfMade = (key: NewKey): NewKey => ({ ...key, selfMade: true });

/** The issuer of a key that a manager creates, or whose secret a manager gets. */
export const issuerFor = (manager: Manager, userId: string | undefined): KeyIssuer =>
  manager.isOwn && userId !== undefined && userId === manager.userId ? 'own' : 'issued';

async function isInTeam(userId: string, teamId: string, { users, members }: PolicyParts): Promise<boolean> {
  if ((await members.ofUser(userId)).some((one) => one.teamId === teamId)) return true;
  try {
    return (await users.get(userId)).teamId === teamId;
  } catch (error) {
    // Same response as for a user of another team, so that it does not reveal which users exist.
    if (error instanceof AppError && error.reason === 'user_not_found') return false;
    throw error;
  }
}

/** Throws a NotFoundError for a key that the manager cannot see. */
export function requireVisibleKey(manager: Manager, key: Key): Key {
  if (readsEverything(manager) || ownsKey(manager, key) || managesKey(manager, key)) return key;
  throw notFound(`API key with id '${key.id}' not found`, 'key_not_found');
}

/**
 * Throws unless the manager is allowed to delete a key. A key with limits set by others limits all of a
 * member's keys.
 */
export function permitKeyDeletion(manager: Manager, key: Key): void {
  permitKeyReplacement(manager, key);
  if (manager.role === 'admin' || administersTeam(manager, key.teamId)) return;
  if (key.teamId === null || key.selfMade || !hasLimits(key)) return;
  throw forbidden(
    `Key '${key.id}' has limits set by an admin of team '${key.teamId}'. Disable the key instead of deleting it.`,
  );
}

/** Whether a key has limits that also apply to its owner's other keys. An on/off setting counts if it is on. */
function hasLimits(key: Key): boolean {
  const values = membersOf(key);
  return Object.entries<Field>(KEY_FIELDS).some(([name, field]) => {
    const value = values[nameOf(name, field)];
    return field.binds === true && (field.kind === 'choice' ? value === true : value !== null);
  });
}

/** Throws unless the manager is allowed to replace a key's secret. */
export function permitKeyReplacement(manager: Manager, key: Key): void {
  requireVisibleKey(manager, key);
  requireChanger(manager);
}

/** Throws unless the manager is allowed to make changes to a key. Owners cannot change limits set by others. */
export function permitKeyChange(manager: Manager, key: Key, changes: KeyChanges): void {
  permitKeyReplacement(manager, key);
  if (manager.role === 'admin') return;
  // Only settings that replace one of the gateway's: a key's limits apply in addition to those of the user,
  // team and organization.
  requireTighter(KEY_FIELDS, key, changes);
  if (administersTeam(manager, key.teamId)) return;
  if (!areOwnersChanges(changes)) throw forbidden('Key owners can only rename or disable their keys.');
}

/** Whether an owner can make the changes. Owners can only switch off what is on. */
const areOwnersChanges = (changes: Readonly<Record<string, unknown>>): boolean =>
  Object.entries<Field>(KEY_FIELDS).every(([name, field]) => {
    const value = changes[nameOf(name, field)];
    return value === undefined || (field.isOwners && !(field.kind === 'flag' && value === true));
  });

const ownsKey = (manager: Manager, key: Key): boolean =>
  manager.userId !== null &&
  key.userId === manager.userId &&
  key.createdAt >= originOf(manager, 'user', manager.userId);

/** Whether a key belongs to a team of the manager, and not to an earlier team with the same ID. */
const managesKey = (manager: Manager, { teamId, createdAt }: Key): boolean =>
  teamId !== null && administersTeam(manager, teamId) && createdAt >= originOf(manager, 'team', teamId);
