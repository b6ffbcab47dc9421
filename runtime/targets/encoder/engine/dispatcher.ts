import type { RunRules } from '#contract/batching.ts';
import { AppError } from '#contract/errors.ts';
import { widthOf } from './batch-queue.ts';
import type { EngineJob, JobItem } from './job.ts';
import { LaneQueue } from './lanes.ts';
import type { Pool, PoolHooks } from './pool.ts';
import type { EngineObserver } from './serving.ts';

export interface Dispatcher {
  /** Callbacks to pass to the pool when it is started. */
  readonly hooks: PoolHooks;
  readonly attach: (pool: Pool) => void;
  readonly add: (items: readonly JobItem[]) => void;
  /** Removes a job from the queue if it has not been sent to a thread yet. */
  readonly forget: (job: EngineJob) => void;
}

/** Maximum number of times that a batch is retried in another thread after its thread has died. */
const MAX_DEATHS = 1;

export interface BatchLimits {
  readonly maxTokens: number;
  /**
   * Maximum number of token pairs (texts x length²) in a batch. A text with more token pairs is a
   * large text, and large texts run one at a time.
   */
  readonly maxPairs: number;
}

/** Connects the queue and the pool: sends the next batch whenever a thread has room. */
export function createDispatcher(
  { maxTokens: maxBatchTokens, maxPairs }: BatchLimits,
  rules: RunRules,
  observer: EngineObserver,
): Dispatcher {
  const queue = new LaneQueue<JobItem>(rules, maxPairs);
  const largeTexts = new Set<JobItem>();
  let pool: Pool | undefined;
  /** Items of bulk requests that are running. */
  const bulkRunning = new Set<JobItem>();

  const enqueue = (item: JobItem): void => {
    if (item.length ** 2 > maxPairs) largeTexts.add(item);
    else queue.add(item);
  };
  const sent = (items: JobItem[]): JobItem[] => {
    for (const item of items) {
      item.job.runs();
      if (item.job.lane === 'bulk') bulkRunning.add(item);
    }
    return items;
  };
  const take = (maxTokens: number): JobItem[] => sent(queue.take(maxTokens));
  const pumpLarge = ({ canRunLarge, sendLarge }: Pool): void => {
    const [oldest] = largeTexts;
    if (!oldest || !canRunLarge()) return;
    largeTexts.delete(oldest);
    sendLarge(sent([oldest]));
  };
  const pump = (): void => {
    if (!pool) return;
    if (pool.ended()) {
      failAll(
        new AppError(
          'InternalError',
          'The model cannot run: all inference threads exited and could not be restarted.',
        ),
      );
      return;
    }
    pumpLarge(pool);
    if (queue.size === 1 && pool.canRunAlone()) {
      pool.sendAlone(take(maxBatchTokens));
      return;
    }
    // While a large text uses all CPUs, other texts run in a worker, which slows it down less than
    // the session for single texts would.
    if (queue.size > 1 || (queue.size > 0 && !pool.canRunLarge())) pool.openWorkers(queue.bulk > 0);
    for (let { idle } = pool.room(); idle > 0 && queue.size > 0; { idle } = pool.room()) {
      // Distributes a small queue over all idle threads.
      pool.send(take(Math.min(maxBatchTokens, Math.ceil(queue.tokens / idle))));
    }
    // An interactive request does not wait until a worker has completed its bulk batch.
    if (queue.interactive > 0 && bulkRunning.size > 0 && pool.canInterleave())
      pool.sendAlone(sent(queue.takeInteractive(maxBatchTokens)));
    // Only full batches are sent ahead to a busy thread, because a smaller batch can still grow
    // while it waits.
    while (pool.room().ahead > 0 && queue.isFull(maxBatchTokens)) pool.send(take(maxBatchTokens));
  };
  const failAll = (error: AppError): void => {
    for (let items = queue.take(maxBatchTokens); items.length > 0; items = queue.take(maxBatchTokens)) {
      for (const { job } of items) job.fail(error);
    }
    for (const { job } of largeTexts) job.fail(error);
    largeTexts.clear();
  };

  return {
    hooks: {
      onRoom: pump,
      onDone(items, results, milliseconds) {
        observer.onBatch({
          inputs: items.length,
          tokens: items.reduce((sum, { length }) => sum + length, 0),
          paddedTokens: paddedTokens(items, rules),
          milliseconds,
        });
        for (const [row, item] of items.entries()) {
          bulkRunning.delete(item);
          if (item.job.ended) continue;
          item.job.done(item, results[row] ?? new Uint8Array());
          const next = item.part && item.job.next();
          if (next) enqueue(next);
        }
      },
      onFailed(items, error, reason) {
        for (const item of items) {
          bulkRunning.delete(item);
          if (item.job.ended) continue;
          item.deaths += reason === 'died' ? 1 : 0;
          if (reason !== 'failed' && item.deaths <= MAX_DEATHS) enqueue(item);
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
      for (const item of items) enqueue(item);
      pump();
    },
    forget(job) {
      for (const item of job.waiting) {
        queue.remove(item);
        largeTexts.delete(item);
      }
    },
  };
}

/** Number of tokens that a run with these items computes. */
function paddedTokens(items: readonly JobItem[], rules: RunRules): number {
  const longest = items.reduce((most, { length }) => Math.max(most, length), 0);
  return (rules.fixedShape?.texts ?? items.length) * widthOf(rules, longest);
}
