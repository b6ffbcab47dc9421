import { AppError } from '../../../../contract/errors.ts';
import type { Store } from '../../store/store.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { KeyGrant, RateLimits, UserGrant } from './identity.ts';
import { keyGrantOf, selectKeyGrants, selectUserGrants, userGrantOf } from './grant-rows.ts';

/** A key as it may be used, under the secret that was asked for. */
export interface KnownKey {
  readonly key: KeyGrant;
  readonly user: UserGrant;
  /** Set for a secret that was replaced and works for a while. */
  readonly secretExpiresAt: number | null;
}

export interface Remembered<Value> {
  readonly value: Value | undefined;
  /** As of which revision of the database. */
  readonly revision: number;
}

/** Keys and users in memory. What is there is good for one revision of the database and is read again at the next. */
export interface Directory {
  readonly keyByHash: (hash: string) => Promise<Remembered<KnownKey>>;
  readonly keyById: (id: string) => Promise<Remembered<KnownKey>>;
  readonly user: (userId: string) => Promise<Remembered<UserGrant>>;
}

/** More than this is forgotten altogether, rather than to keep an order in which to forget. */
const MOST_REMEMBERED = 50_000;

export function createDirectory({ db }: Store, revision: FollowedRevision, defaults: RateLimits): Directory {
  const remembering = <Value>(load: (key: string) => Promise<Value | undefined>) => {
    const known = new Map<string, Remembered<Value>>();
    return async (key: string): Promise<Remembered<Value>> => {
      try {
        // Read before the rows are, so that rows are never taken for newer than they are.
        const current = await revision.current();
        const remembered = known.get(key);
        if (remembered?.revision === current) return remembered;
        const entry = { value: await load(key), revision: current };
        if (known.size >= MOST_REMEMBERED) known.clear();
        // Tokens and names that nobody has are no reason to fill memory.
        if (entry.value === undefined) known.delete(key);
        else known.set(key, entry);
        return entry;
      } catch (error) {
        throw unavailable(error);
      }
    };
  };

  return {
    keyByHash: remembering(async (hash) => {
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
    keyById: remembering(async (id) => {
      const row = await selectKeyGrants(db).where('gateway_keys.id', '=', id).executeTakeFirst();
      return row && { ...keyGrantOf(row, defaults), secretExpiresAt: null };
    }),
    user: remembering(async (userId) => {
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
