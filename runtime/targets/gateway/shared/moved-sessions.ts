import { remember } from '#core/limits/remember.ts';

/** A session, for which a provider caches the beginning of its prompts. */
export interface Session {
  /** A hash that includes the session's user, so that users cannot choose each other's sessions. */
  readonly id: string;
  /** How long the provider keeps what it has cached after its last use. */
  readonly lifetimeMs: number;
}

/**
 * The sessions that were served elsewhere than at their first choice. They stay there while their cache
 * lives, because the cache at their first choice is older.
 */
export class MovedSessions {
  readonly #places = new Map<string, { readonly name: string; readonly until: number }>();

  /** Where a session has moved to; undefined if it has not moved, or its cache there has expired. */
  placeOf({ id }: Session, scope: string, now: number): string | undefined {
    const key = `${scope} ${id}`;
    const place = this.#places.get(key);
    if (!place || place.until > now) return place?.name;
    this.#places.delete(key);
    return undefined;
  }

  /** Records where a session was served. */
  served({ id, lifetimeMs }: Session, scope: string, name: string, first: string, now: number): void {
    const key = `${scope} ${id}`;
    if (name === first) this.#places.delete(key);
    else remember(this.#places, key, { name, until: now + lifetimeMs });
  }
}
