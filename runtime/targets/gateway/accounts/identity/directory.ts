import { AppError } from '#contract/errors.ts';
import type { Store } from '../../store/store.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { GroupGrant, KeyGrant, RateLimits, UserGrant } from './identity.ts';
import { boundKey } from './bound-key.ts';
import { dataOfKey, dataOfUser } from './data-access.ts';
import { groupGrantsOf } from './group-grants.ts';
import {
  type KeyGrantRow,
  keyGrantOf,
  selectKeyGrants,
  selectUserGrants,
  userGrantOf,
} from './grant-rows.ts';
import type { DataAccess } from '../../shared/owner.ts';

/** A user with the team and the organization of a service account. */
interface KnownUser {
  readonly user: UserGrant;
  /** What it can see. */
  readonly data: DataAccess;
  readonly groups: readonly GroupGrant[];
}

/** A key with its user and its groups, as found by one of its secrets. */
export interface KnownKey extends KnownUser {
  readonly key: KeyGrant;
  /** Expiry of a secret that was replaced and is still valid during its grace period; null for the current secret. */
  readonly secretExpiresAt: number | null;
}

export interface Cached<Value> {
  readonly value: Value | undefined;
  /** Revision of the database that the value was read at. */
  readonly revision: number;
}

/** A cache of keys, users and teams. Entries are valid for one revision of the database and are read again when it changes. */
export interface Directory {
  readonly keyByHash: (hash: string) => Promise<Cached<KnownKey>>;
  readonly keyById: (id: string) => Promise<Cached<KnownKey>>;
  readonly user: (userId: string) => Promise<Cached<KnownUser>>;
  /** A team and its organization. */
  readonly team: (teamId: string) => Promise<Cached<readonly GroupGrant[]>>;
}

/** Maximum number of cached entries of each kind. A full cache is cleared, which is simpler than an eviction order. */
const MAX_CACHED = 50_000;

export function createDirectory({ db }: Store, revision: FollowedRevision, defaults: RateLimits): Directory {
  const cached = <Value>(load: (key: string) => Promise<Value | undefined>) => {
    const known = new Map<string, Cached<Value>>();
    return async (key: string): Promise<Cached<Value>> => {
      try {
        // The revision is read before the rows, so that old rows are never cached with a newer revision.
        const current = await revision.current();
        const remembered = known.get(key);
        if (remembered?.revision === current) return remembered;
        const entry = { value: await load(key), revision: current };
        if (known.size >= MAX_CACHED) known.clear();
        // Unknown tokens and names are not cached, because clients could fill the memory with them.
        if (entry.value === undefined) known.delete(key);
        else known.set(key, entry);
        return entry;
      } catch (error) {
        throw unavailable(error);
      }
    };
  };

  const known = async (row: KeyGrantRow, secretExpiresAt: number | null): Promise<KnownKey> => {
    const { user, key: given } = keyGrantOf(row, defaults);
    const key = row.self_made === 1 ? await boundKey(db, given) : { ...given, boundBy: [] };
    const groups = await groupGrantsOf(db, key.teamId ?? user.teamId);
    return { key, user, groups, data: await dataOfKey(db, { key, user, groups }), secretExpiresAt };
  };

  return {
    keyByHash: cached(async (hash) => {
      const row = await selectKeyGrants(db)
        .where((on) => on.or([on('key_hash', '=', hash), on('previous_hash', '=', hash)]))
        .executeTakeFirst();
      return row && (await known(row, row.key_hash === hash ? null : row.previous_expires_at));
    }),
    keyById: cached(async (id) => {
      const row = await selectKeyGrants(db).where('gateway_keys.id', '=', id).executeTakeFirst();
      return row && (await known(row, null));
    }),
    user: cached(async (userId) => {
      if (!isStorable(userId)) return undefined;
      const row = await selectUserGrants(db).where('user_id', '=', userId).executeTakeFirst();
      const user = row && userGrantOf(row, defaults);
      const groups = user && (await groupGrantsOf(db, user.teamId));
      return groups && { user, groups, data: dataOfUser(user, groups) };
    }),
    team: cached(async (teamId) => await groupGrantsOf(db, teamId)),
  };
}

const unavailable = (cause: unknown): AppError =>
  new AppError('UnavailableError', 'Authentication temporarily unavailable, please retry', {
    cause,
    reason: 'database_unavailable',
  });
