import type { RunRules } from '#contract/batching.ts';
import { AppError } from '#contract/errors.ts';
import { widthOf } from './batch-queue.ts';
import type { EngineJob, JobItem } from './job.ts';
import { LaneQueue } from './lanes.ts';
import type { GpuLane } from './gpu/gpu-lane.ts';
import { milliseconds as durationOf } from './gpu/gpu-plan.ts';
import type { Pool, PoolHooks } from './pool.ts';
import { type MemberHooks, TEXT_FAILED } from './pool-member.ts';
import type { CompletedBatch, EngineObserver } from './serving.ts';

export interface Dispatcher {
  /** Callbacks to pass to the pool when it is started. */
  readonly hooks: PoolHooks;
  readonly attach: (pool: Pool) => void;
  /** Callbacks for the thread that owns the GPU. Batches that fail there run on the CPU. */
  readonly gpuHooks: MemberHooks;
  /** Adds the GPU; undefined removes it. */
  readonly attachGpu: (gpu: GpuLane | undefined) => void;
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
  let gpu: GpuLane | undefined;
  /** Items that failed on the GPU. Until the CPU has run them, the GPU gets no batches. */
  const failedOnGpu = new Set<JobItem>();

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
  /** Sends batches to the GPU if it runs what is waiting faster than the CPU. */
  const pumpGpu = (lane: GpuLane): void => {
    const { minTokens, maxTokens, maxPadding } = lane.plan;
    while (failedOnGpu.size === 0 && queue.size > 0 && queue.tokens >= minTokens) {
      const running = lane.running();
      // As on the CPU, a batch that is sent ahead cannot grow any more.
      if (running > 1 || (running === 1 && !queue.isFull(maxTokens))) return;
      lane.send(sent(queue.take(maxTokens, maxPadding)));
    }
  };
  /** Whether what is waiting is done sooner if the CPU leaves it to the GPU. */
  const leavesToGpu = ({ plan, running, remaining }: GpuLane): boolean =>
    failedOnGpu.size === 0 &&
    queue.tokens >= plan.minTokens &&
    Number.isFinite(running()) &&
    remaining(queue.tokens) < durationOf(plan.cpu, Math.min(queue.tokens, maxBatchTokens));
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
    if (gpu) {
      pumpGpu(gpu);
      if (leavesToGpu(gpu)) {
        // An interactive request does not wait for a bulk batch on the GPU.
        if (queue.interactive > 0 && bulkRunning.size > 0 && pool.canRunAlone())
          pool.sendAlone(sent(queue.takeInteractive(maxBatchTokens)));
        return;
      }
    }
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

  const complete = (
    items: readonly JobItem[],
    results: readonly Uint8Array[],
    milliseconds: number,
    device: CompletedBatch['device'],
  ): void => {
    observer.onBatch({
      inputs: items.length,
      tokens: items.reduce((sum, { length }) => sum + length, 0),
      paddedTokens: paddedTokens(items, rules),
      milliseconds,
      device,
    });
    for (const [row, item] of items.entries()) {
      leave(item);
      if (item.job.ended) continue;
      item.job.done(item, results[row] ?? new Uint8Array());
      const next = item.part && item.job.next();
      if (next) enqueue(next);
    }
  };
  /** Removes an item from the sets of what is running. */
  const leave = (item: JobItem): void => {
    bulkRunning.delete(item);
    failedOnGpu.delete(item);
  };
  const hooks: PoolHooks = {
    onRoom: pump,
    onDone: (items, results, milliseconds) => complete(items, results, milliseconds, 'cpu'),
    onFailed(items, error, reason) {
      for (const item of items) {
        leave(item);
        if (item.job.ended) continue;
        item.deaths += reason === 'died' ? 1 : 0;
        if (reason !== 'failed' && item.deaths <= MAX_DEATHS) enqueue(item);
        else item.job.fail(error);
      }
    },
    onDeath: (error) => observer.onWorkerDeath(error.message),
    onEnded: () => observer.onEnd?.(),
  };

  return {
    hooks,
    gpuHooks: {
      onDone: (items, results, milliseconds) => complete(items, results, milliseconds, 'gpu'),
      onFailed(items, error, reason) {
        if (isOfInput(error)) {
          hooks.onFailed(items, error, reason);
          return;
        }
        for (const item of items) {
          leave(item);
          if (item.job.ended) continue;
          failedOnGpu.add(item);
          enqueue(item);
        }
      },
    },
    attachGpu(opened) {
      gpu = opened;
      pump();
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
        failedOnGpu.delete(item);
      }
    },
  };
}

/** Whether an input or its transform failed, and not the thread or its device. */
const isOfInput = ({ code, reason }: AppError): boolean => code === 'InputError' || reason === TEXT_FAILED;

/** Number of tokens that a run with these items computes. */
function paddedTokens(items: readonly JobItem[], rules: RunRules): number {
  const longest = items.reduce((most, { length }) => Math.max(most, length), 0);
  return (rules.fixedShape?.texts ?? items.length) * widthOf(rules, longest);
}
