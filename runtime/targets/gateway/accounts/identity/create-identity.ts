import type { Clock } from '../../../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { Caller, Identity, RateLimits, Spender } from './identity.ts';
import { refused, tokenOf } from './credentials.ts';
import { createDirectory, type KnownKey, type Cached } from './directory.ts';
import { statusOf } from './key-rows.ts';
import { createKeys } from './keys.ts';
import { createLastUsed } from './last-used.ts';
import { createMasterKey } from './master-key.ts';
import { badFormat, hashOf } from './secret.ts';
import { checkModel, checkUser, spenderOf } from './spender.ts';
import { createTagGrants } from './tag-grants.ts';
import { createTags } from './tags.ts';
import { createUsers } from './users.ts';

export interface IdentityOptions {
  readonly clock: Clock;
  readonly revision: FollowedRevision;
  readonly masterKey: string | undefined;
  /** Rate limits of users that have none of their own. */
  readonly userLimits?: Partial<RateLimits> | undefined;
}

export function createIdentity(store: Store, options: IdentityOptions): Identity {
  const { clock, revision, userLimits } = options;
  const directory = createDirectory(store, revision, {
    rpm: null,
    tpm: null,
    maxParallel: null,
    ...userLimits,
  });
  const lastUsed = createLastUsed(store, clock);
  const tagGrants = createTagGrants(store.db, revision);
  const master = createMasterKey(options.masterKey);

  /** Checks a key in the order of the reference API: it exists, is active, has not expired, and its user is not blocked or deleted. */
  const checked = ({ value, revision }: Cached<KnownKey>): Caller & { readonly kind: 'key' } => {
    const now = clock.now();
    if (!value || (value.secretExpiresAt !== null && value.secretExpiresAt <= now)) {
      throw refused('Invalid API key', 'invalid_key');
    }
    const { key, user } = value;
    const status = statusOf(key.isActive, key.expiresAt, now);
    if (status === 'inactive') throw refused('API key is inactive', 'inactive_key');
    if (status === 'expired') throw refused('API key has expired', 'expired_key');
    return { kind: 'key', key, user: checkUser(user.userId, user), revision };
  };

  /** Adds the accounts of tags. They are read after the spender, so that they are not older. */
  const tagged = async (spender: Spender, tags: readonly string[] = []): Promise<Spender> =>
    tags.length === 0 ? spender : { ...spender, tags, others: await tagGrants(tags) };

  return {
    users: createUsers(store, revision, clock),
    keys: createKeys(store, revision, clock, lastUsed),
    tags: createTags(store, revision, clock),
    requireMaster: master.require,
    authenticate: async (headers) => {
      const token = tokenOf(headers);
      const hash = hashOf(token);
      if (master.hasHash(hash)) return { kind: 'master' };
      const problem = badFormat(token);
      if (problem) throw problem;
      const caller = checked(await directory.keyByHash(hash));
      lastUsed.touch(caller.key.id);
      return caller;
    },
    spender: async (caller, user, tags) => await tagged(await spenderOf(directory, caller, user), tags),
    renew: async ({ key, user, tags }) => {
      if (key) {
        const caller = checked(await directory.keyById(key.id));
        return await tagged(await spenderOf(directory, caller, undefined), tags);
      }
      const { value, revision } = await directory.user(user.userId);
      return await tagged({ user: checkUser(user.userId, value), key: undefined, revision }, tags);
    },
    requireModel: checkModel,
    close: lastUsed.close,
  };
}
