import type { Clock } from '#platform/clock.ts';
import { createAnswerCache } from '#gateway/requests/cache/answer-cache.ts';
import type { CacheClears } from '#gateway/accounts/cache-clears.ts';
import type { Store } from '#gateway/store/store.ts';

/** Settings of a cache that was never cleared. */
export const UNCLEARED: Pick<CacheClears, 'isCleared'> = { isCleared: () => Promise.resolve(false) };

/** A response cache that reports every error. */
export const answerCacheOn = (
  { db }: Pick<Store, 'db'>,
  clock: Clock,
  clears: Pick<CacheClears, 'isCleared'>,
) =>
  createAnswerCache({
    db,
    clock,
    clears,
    onError: (error) => {
      throw error;
    },
  });
