import type { Clock } from '../../../../../runtime/platform/clock.ts';
import { createAnswerCache } from '../../../../../runtime/targets/gateway/ask/cache/answer-cache.ts';
import type { Store } from '../../../../../runtime/targets/gateway/store/store.ts';

/** A cache of answers that reports every error. */
export const answerCacheOn = ({ db }: Pick<Store, 'db'>, clock: Clock) =>
  createAnswerCache({
    db,
    clock,
    onError: (error) => {
      throw error;
    },
  });
