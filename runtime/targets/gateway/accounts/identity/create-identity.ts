import type { Clock } from '#platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import { NO_RATES, type RateLimits } from '../fields/shared-fields.ts';
import type { Caller, HeaderReader, Identity, Payer, Spender } from './identity.ts';
import { refused, tokenIn, tokenOf, createMasterKey, badFormat, hashOf } from './credentials.ts';
import { createAccountGrants, createTagGrants } from './account-grants.ts';
import { createDirectory, type KnownKey, type Cached } from './directory.ts';
import { keyStatusOf } from './key-rows.ts';
import { createGroups } from './groups.ts';
import { createKeys } from './keys.ts';
import { createLastUsed } from './last-used.ts';
import { managerOf } from './manager.ts';
import { createInvitations } from './invitations.ts';
import { createMembers } from './members.ts';
import {
  checkGroups,
  requireAllowedModel,
  checkUser,
  spenderOf,
  userSpender,
  workSpender,
} from './spender.ts';
import { createTags } from './tags.ts';
import { createUsers } from './users.ts';
import { ALL_DATA, NO_DATA } from '../../shared/owner.ts';

export interface IdentityOptions {
  readonly clock: Clock;
  readonly revision: FollowedRevision;
  readonly masterKey: string | undefined;
  /** Rate limits of users that have none of their own. */
  readonly userLimits?: Partial<RateLimits> | undefined;
}

type KeyCaller = Caller & { readonly kind: 'key' };

export function createIdentity(store: Store, options: IdentityOptions): Identity {
  const { clock, revision, userLimits } = options;
  const userDefaults = { ...NO_RATES, ...userLimits };
  const directory = createDirectory(store, revision, userDefaults);
  const lastUsed = createLastUsed(store, clock);
  const tagGrants = createTagGrants(store.db, revision);
  const master = createMasterKey(options.masterKey);
  const members = createMembers(store, revision, clock);

  /** What follows from an entry of the directory, which is the same until the database changes. Only times are checked again. */
  const callers = new WeakMap<Cached<KnownKey>, KeyCaller>();
  const spenders = new WeakMap<Caller, Spender>();

  /** Checks a key in the order of the reference API: it exists, is active, has not expired, and its user is not blocked or deleted. */
  const checked = (known: Cached<KnownKey>): KeyCaller => {
    const { value, revision } = known;
    const now = clock.now();
    if (!value || (value.secretExpiresAt !== null && value.secretExpiresAt <= now)) {
      throw refused('Invalid API key', 'invalid_key');
    }
    const { key, user, groups, data } = value;
    const status = keyStatusOf(key.isActive, key.expiresAt, now);
    if (status === 'inactive') throw refused('API key is inactive', 'inactive_key');
    if (status === 'expired') throw refused('API key has expired', 'expired_key');
    const same = callers.get(known);
    if (same) return same;
    const caller: KeyCaller = {
      kind: 'key',
      key,
      user: checkUser(user.userId, user),
      groups: checkGroups(groups),
      data,
      revision,
    };
    callers.set(known, caller);
    return caller;
  };

  /** The caller of a key with the scope `manage`; undefined for any other credential. */
  const managementKey = async (headers: HeaderReader): Promise<Caller | undefined> => {
    const token = tokenIn(headers);
    if (token === undefined || badFormat(token)) return undefined;
    const hash = hashOf(token);
    if (master.hasHash(hash)) return undefined;
    const known = await directory.keyByHash(hash);
    if (known.value?.key.scope !== 'manage') return undefined;
    const caller = checked(known);
    lastUsed.touch(caller.key.id);
    return caller;
  };

  /** Adds the accounts of tags. They are read after the spender, so that they are not older. */
  const tagged = async (spender: Spender, tags: readonly string[] = []): Promise<Spender> =>
    tags.length === 0
      ? spender
      : { ...spender, tags, shared: [...spender.shared, ...(await tagGrants(tags))] };

  const findSpender = async (
    payer: Payer,
    user: string | undefined,
    tags: readonly string[] | undefined,
  ): Promise<Spender> => {
    if (payer.kind === 'work')
      return await tagged(await workSpender({ directory, members, checked }, payer), tags);
    const spender = await spenderOf(directory, payer, user);
    if (payer.kind === 'key') spenders.set(payer, spender);
    return await tagged(spender, tags);
  };

  return {
    userDefaults,
    users: createUsers(store, revision, clock),
    keys: createKeys(store, revision, clock, lastUsed),
    tags: createTags(store, revision, clock),
    teams: createGroups(store, revision, clock, 'team'),
    organizations: createGroups(store, revision, clock, 'org'),
    members,
    invitations: createInvitations(store, revision, clock),
    authenticateManager: async (headers) => {
      const known = await managementKey(headers);
      if (known) return known;
      master.require(headers);
      return { kind: 'master' };
    },
    manager: async (caller) => await managerOf(caller, members),
    authenticate: async (headers) => {
      const token = tokenOf(headers);
      const hash = hashOf(token);
      if (master.hasHash(hash)) return { kind: 'master' };
      const problem = badFormat(token);
      if (problem) throw problem;
      const known = directory.keyByHash(hash);
      const caller = checked(known instanceof Promise ? await known : known);
      lastUsed.touch(caller.key.id);
      return caller;
    },
    spender(payer, user, tags = []) {
      const known = payer.kind === 'key' && tags.length === 0 ? spenders.get(payer) : undefined;
      return known && (!user || user === known.user.userId) ? known : findSpender(payer, user, tags);
    },
    renew: async ({ key, user, groups, tags }) => {
      const team = groups.find(({ kind }) => kind === 'team')?.id ?? null;
      const spender = key
        ? await spenderOf(directory, checked(await directory.keyById(key.id)), undefined)
        : await userSpender(directory, user.userId, team);
      return await tagged(spender, tags);
    },
    accounts: createAccountGrants(store.db, directory, tagGrants),
    viewer: async (caller, named) => {
      if (caller.kind === 'key') return caller.data.viewer;
      if (named === undefined) return ALL_DATA.viewer;
      return (await directory.user(named)).value?.data.viewer ?? NO_DATA;
    },
    requireModel: requireAllowedModel,
    close: lastUsed.close,
  };
}
