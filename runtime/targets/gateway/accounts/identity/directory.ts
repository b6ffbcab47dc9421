import { AppError } from '../../../../contract/errors.ts';
import type { Store } from '../../store/store.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { KeyGrant, RateLimits, UserGrant } from './identity.ts';
import { keyGrantOf, selectKeyGrants, selectUserGrants, userGrantOf } from './grant-rows.ts';

/** A key with its user, as found by one of its secrets. */
export interface KnownKey {
  readonly key: KeyGrant;
  readonly user: UserGrant;
  /** Expiry of a secret that was replaced and is still valid during its grace period; null for the current secret. */
  readonly secretExpiresAt: number | null;
}

export interface Cached<Value> {
  readonly value: Value | undefined;
  /** Revision of the database that the value was read at. */
  readonly revision: number;
}

/** A cache of keys and users. Entries are valid for one revision of the database and are read again when it changes. */
export interface Directory {
  readonly keyByHash: (hash: string) => Promise<Cached<KnownKey>>;
  readonly keyById: (id: string) => Promise<Cached<KnownKey>>;
  readonly user: (userId: string) => Promise<Cached<UserGrant>>;
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

  return {
    keyByHash: cached(async (hash) => {
      const row = await selectKeyGrants(db)
        .where((on) => on.or([on('key_hash', '=', hash), on('previous_hash', '=', hash)]))
        .executeTakeFirst();
      return (
        row && {
          ...keyGrantOf(row, defaults),
          secretExpiresAt: row.key_hash === hash ? null : row.previous_expires_at,
        }
      );
    }),
    keyById: cached(async (id) => {
      const row = await selectKeyGrants(db).where('gateway_keys.id', '=', id).executeTakeFirst();
      return row && { ...keyGrantOf(row, defaults), secretExpiresAt: null };
    }),
    user: cached(async (userId) => {
      if (!isStorable(userId)) return undefined;
      const row = await selectUserGrants(db).where('user_id', '=', userId).executeTakeFirst();
      return row && userGrantOf(row, defaults);
    }),
  };
}

const unavailable = (cause: unknown): AppError =>
  new AppError('UnavailableError', 'Authentication temporarily unavailable, please retry', {
    cause,
    reason: 'database_unavailable',
  });
