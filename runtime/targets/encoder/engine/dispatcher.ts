import type { Batching } from '../../../contract/batching.ts';
import { AppError } from '../../../contract/errors.ts';
import { BatchQueue } from '../../../core/batch-queue.ts';
import type { EngineObserver } from './api.ts';
import type { Job, JobItem } from './job.ts';
import type { Pool, PoolHooks } from './pool.ts';

export interface Dispatcher {
  /** For the pool, which is started with them. */
  readonly hooks: PoolHooks;
  readonly attach: (pool: Pool) => void;
  readonly add: (items: readonly JobItem[]) => void;
  /** Takes back what has not been sent to a thread yet. */
  readonly forget: (job: Job) => void;
}

/** A batch that took a thread down with it is tried once more, elsewhere. */
const MOST_DEATHS = 1;

/** Brings what waits and what can run together: the next batch goes out whenever a thread has room for it. */
export function createDispatcher(
  maxBatchTokens: number,
  batching: Batching,
  observer: EngineObserver,
): Dispatcher {
  const queue = new BatchQueue<JobItem>(batching);
  let pool: Pool | undefined;

  const take = (maxTokens: number): JobItem[] => {
    const items = queue.take(maxTokens);
    for (const { job } of items) job.runs();
    return items;
  };
  const pump = (): void => {
    if (!pool) return;
    if (pool.ended()) {
      failAll(
        new AppError(
          'InternalError',
          'The model cannot run: its threads ended and could not be started again.',
        ),
      );
      return;
    }
    if (queue.size === 1 && pool.canRunAlone()) {
      pool.sendAlone(take(maxBatchTokens));
      return;
    }
    for (let { idle } = pool.room(); idle > 0 && queue.size > 0; { idle } = pool.room()) {
      // Little work is shared by all that have nothing to do.
      pool.send(take(Math.min(maxBatchTokens, Math.ceil(queue.tokens / idle))));
    }
    // Behind a running batch only a full one is laid ready: a smaller one may still grow while it waits.
    while (pool.room().ahead > 0 && queue.isFull(maxBatchTokens)) pool.send(take(maxBatchTokens));
  };
  const failAll = (error: AppError): void => {
    for (let items = queue.take(maxBatchTokens); items.length > 0; items = queue.take(maxBatchTokens)) {
      for (const { job } of items) job.fail(error);
    }
  };

  return {
    hooks: {
      onRoom: pump,
      onDone(items, results, milliseconds) {
        observer.onBatch({
          inputs: items.length,
          tokens: items.reduce((sum, { length }) => sum + length, 0),
          paddedTokens: items.length * items.reduce((longest, { length }) => Math.max(longest, length), 0),
          milliseconds,
        });
        for (const [row, item] of items.entries()) {
          if (!item.job.ended) item.job.done(item, results[row] ?? new Uint8Array());
        }
      },
      onFailed(items, error, reason) {
        for (const item of items) {
          if (item.job.ended) continue;
          item.deaths += reason === 'died' ? 1 : 0;
          if (reason !== 'failed' && item.deaths <= MOST_DEATHS) queue.add(item);
          else item.job.fail(error);
        }
      },
      onDeath: (error) => observer.onWorkerDeath(error.message),
      onEnded: () => observer.onEnd?.(),
    },
    attach(started) {
      pool = started;
      pump();
    },
    add(items) {
      for (const item of items) queue.add(item);
      pump();
    },
    forget(job) {
      for (const item of job.waiting) queue.remove(item);
    },
  };
}
