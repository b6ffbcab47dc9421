import { AppError } from '#contract/errors.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import { returnFreedMemory } from '#platform/malloc.ts';
import { itemAt } from '#core/values/item-at.ts';
import type { ThreadPlan } from './thread-plan.ts';
import {
  type InferenceThread,
  startInferenceThread,
  type OpenModel,
  type OpenTransform,
} from './inference-thread.ts';
import type { JobItem } from './job.ts';
import type { TextWords } from '#core/model/tokenized-text.ts';
import { padBatch } from './batch.ts';
import { createProgress, watchTransform } from './progress.ts';

export interface PoolHooks extends MemberHooks {
  /** Called when a thread can accept another batch. The listener can then call `send`. */
  readonly onRoom: () => void;
  readonly onDeath: (error: AppError) => void;
  /** Called when no threads are left and none can be started. */
  readonly onEnded: () => void;
}

export interface Pool {
  /**
   * Number of batches that can be sent now: `idle` batches to threads without work, and `ahead`
   * batches to threads that are running one batch. Both numbers are 0 while a batch uses all CPUs.
   */
  readonly room: () => { idle: number; ahead: number };
  readonly send: (items: readonly JobItem[]) => void;
  /**
   * Opens the worker threads if they are not open. Until they are ready, the session that uses all
   * CPUs runs all batches.
   */
  readonly openWorkers: () => void;
  /** Whether no batch is running and a session that uses all CPUs exists. */
  readonly canRunAlone: () => boolean;
  /** Whether the session that uses all CPUs is free while workers run batches. */
  readonly canInterleave: () => boolean;
  readonly sendAlone: (items: readonly JobItem[]) => void;
  /** Whether no large text is running. */
  readonly canRunLarge: () => boolean;
  readonly sendLarge: (items: readonly JobItem[]) => void;
  /** Number of open threads. */
  readonly size: () => number;
  /** Whether no threads are left and none will be started. */
  readonly ended: () => boolean;
  readonly close: () => Promise<void>;
}

/**
 * Number of batches that each thread keeps ready while it runs another one, so that it never waits
 * for the next batch.
 */
const AHEAD = 1;
/** Maximum number of attempts to restart a thread. */
const START_ATTEMPTS = 3;
/**
 * How long idle workers stay open. Opening a worker takes 0.1 to 0.5 s of CPU time, so this is at
 * most 2% of the CPU time.
 */
const KEEP_WORKERS_MS = 30_000;

interface PoolParts {
  /** A thread that has already been started for the first session. */
  readonly first?: InferenceThread | undefined;
  readonly start?: typeof startMember;
  readonly clock?: Clock;
}

/**
 * A pool of threads that each have the model open. A thread that dies is replaced. Rejects if the
 * model cannot be opened.
 *
 * If the plan has a session for single texts, only that session is opened at first. The workers are
 * opened when several texts are waiting, and closed after a pause, because each has a copy of the
 * weights (docs/decisions/0071).
 */
export async function startPool(
  model: PooledModel,
  { workers, threads, alone }: ThreadPlan,
  hooks: PoolHooks,
  canReopen: () => boolean,
  { first, start = startMember, clock = systemClock }: PoolParts = {},
): Promise<Pool> {
  const members = new Set<PoolMember>();
  let closing = false;
  let reviving = 0;
  let workersWanted = alone === undefined;
  let opening: Promise<void> | undefined;
  let cancelPause = (): void => {};
  /** Whether the session that uses all CPUs runs its batch in addition to those of the workers. */
  let interleaved = false;

  const add = async (isAlone: boolean, thread?: InferenceThread): Promise<void> => {
    const share = isAlone && alone !== undefined ? alone : threads;
    // Bulk requests run in the workers, and the session for single texts has priority over them.
    const priority = isAlone ? 'reduced' : 'low';
    const member = await start({ ...model, priority }, share, isAlone, hooks, thread);
    if (closing || !(isAlone || workersWanted)) return await member.close();
    members.add(member);
    void member.died.then((error) => replace(member, error));
  };
  const hasEnded = (): boolean => members.size === 0 && reviving === 0 && opening === undefined;
  const revive = async (isAlone: boolean, attempts: number): Promise<void> => {
    if (closing || attempts === 0 || !canReopen()) return;
    // If all attempts fail, the other threads continue without this thread.
    await add(isAlone).catch(() => revive(isAlone, attempts - 1));
  };
  const replace = async (member: PoolMember, error: AppError): Promise<void> => {
    members.delete(member);
    hooks.onDeath(error);
    reviving += 1;
    await revive(member.alone, START_ATTEMPTS);
    reviving -= 1;
    if (!closing && hasEnded()) hooks.onEnded();
    hooks.onRoom();
  };
  const workersOf = (): PoolMember[] => [...members].filter((member) => !member.alone);
  const addWorkers = (thread?: InferenceThread): Promise<void>[] =>
    Array.from({ length: workers }, (_, at) => add(false, at === 0 ? thread : undefined));
  const openWorkers = (): void => {
    // A file that has been replaced cannot be opened again.
    if (workersWanted || closing || !canReopen()) return;
    workersWanted = true;
    opening = finishOpening(addWorkers());
  };
  const finishOpening = async (starting: Promise<void>[]): Promise<void> => {
    await Promise.allSettled(starting);
    opening = undefined;
    // If no worker could be opened, the next attempt is made after the same pause.
    pauseWorkers();
    if (!closing && hasEnded()) hooks.onEnded();
    hooks.onRoom();
  };
  const closeWorkers = (): void => {
    if (!canReopen()) return;
    workersWanted = false;
    const closed = workersOf();
    for (const worker of closed) {
      members.delete(worker);
      void worker.close();
    }
    void Promise.all(closed.map(({ ended }) => ended)).then(returnFreedMemory);
  };
  const pauseWorkers = (): void => {
    cancelPause();
    if (alone === undefined || closing || workersOf().some(({ running }) => running() > 0)) return;
    cancelPause = clock.after(KEEP_WORKERS_MS, closeWorkers);
  };
  const run = async (member: PoolMember, items: readonly JobItem[]): Promise<void> => {
    if (!member.alone) cancelPause();
    await member.run(items);
    if (!member.alone) pauseWorkers();
    hooks.onRoom();
  };

  try {
    await Promise.all(alone === undefined ? addWorkers(first) : [add(true, first)]);
  } catch (error) {
    await Promise.all([...members].map((member) => member.close()));
    throw error;
  }
  const withRunning = (running: number): PoolMember[] =>
    workersOf().filter((member) => member.running() === running);
  const large = createLargeThread(
    async () => {
      // A file that has been replaced cannot be opened again, so the text runs in a thread that has
      // the model open.
      if (!canReopen()) return { ...itemAt([...members], 0), close: () => Promise.resolve() };
      const opened = { ...model, prepack: false, priority: 'low' } as const;
      const member = await start(opened, alone ?? workers * threads, false, hooks);
      void member.died.then(hooks.onDeath);
      return member;
    },
    hooks,
    clock,
  );
  const loner = (): PoolMember | undefined => [...members].find((member) => member.alone);
  const give = (member: PoolMember | undefined, items: readonly JobItem[]): void => {
    if (!member) throw new Error('no thread has free capacity');
    void run(member, items);
  };
  const giveToLoner = (items: readonly JobItem[]): void => {
    interleaved = workersOf().some(({ running }) => running() > 0);
    give(loner(), items);
  };
  /** Whether the workers run the batches instead of the session for single texts. */
  const workersRun = (): boolean => opening === undefined && workersOf().length > 0;
  return {
    room() {
      if (loner()?.running() && !interleaved) return { idle: 0, ahead: 0 };
      if (!workersRun()) return { idle: loner()?.running() === 0 ? 1 : 0, ahead: 0 };
      return { idle: withRunning(0).length, ahead: withRunning(AHEAD).length };
    },
    send(items) {
      if (workersRun()) give([...withRunning(0), ...withRunning(AHEAD)][0], items);
      else giveToLoner(items);
    },
    openWorkers,
    canRunAlone: () =>
      loner() !== undefined && large.isFree() && [...members].every(({ running }) => running() === 0),
    canInterleave: () => loner()?.running() === 0 && workersRun(),
    sendAlone: giveToLoner,
    canRunLarge: large.isFree,
    sendLarge: large.send,
    size: () => members.size,
    ended: hasEnded,
    async close() {
      closing = true;
      cancelPause();
      await opening;
      await Promise.all([large, ...members].map((thread) => thread.close()));
    },
  };
}

interface LargeThread {
  /** Whether no text is running. */
  readonly isFree: () => boolean;
  readonly send: (items: readonly JobItem[]) => void;
  readonly close: () => Promise<void>;
}

interface LargeHooks extends Pick<MemberHooks, 'onFailed'> {
  /** Called when the next text can be sent. */
  readonly onRoom: () => void;
}

/**
 * How long the memory for a large text is kept for the next one. Allocating new memory takes up to
 * a third of the time of a run (measured).
 */
const KEEP_MS = 10_000;

/**
 * Runs large texts one at a time, in a thread that `start` opens for them. ONNX Runtime keeps the
 * memory of its largest run until a session is closed, so the thread is closed after a pause
 * (docs/decisions/0058). @internal Exported for tests only.
 */
export function createLargeThread(
  start: () => Promise<PoolMember>,
  hooks: LargeHooks,
  clock: Clock,
): LargeThread {
  let member: PoolMember | undefined;
  let running: Promise<void> | undefined;
  let cancelTimer = (): void => {};

  const open = async (): Promise<PoolMember> => {
    const opened = await start();
    void opened.died.then(() => (member = undefined));
    return opened;
  };
  const release = async (): Promise<void> => {
    cancelTimer();
    const released = member;
    member = undefined;
    await released?.close();
    void released?.ended.then(returnFreedMemory);
  };
  const run = async (items: readonly JobItem[]): Promise<void> => {
    cancelTimer();
    try {
      member ??= await open();
      await member.run(items);
    } catch (error) {
      hooks.onFailed(items, AppError.from(error), 'failed');
    }
    running = undefined;
    cancelTimer = clock.after(KEEP_MS, () => void release());
    hooks.onRoom();
  };

  return {
    isFree: () => running === undefined,
    send(items) {
      running = run(items);
    },
    async close() {
      await running;
      await release();
    },
  };
}

/** The model that every thread in a pool opens. */
export type PooledModel = Omit<OpenModel, 'kind' | 'threads' | 'transform' | 'priority'> & {
  readonly transform?: Omit<OpenTransform, 'progress'> | undefined;
};

/** The `reason` of an AppError that affects only one text. The thread and the other texts continue. */
export const TEXT_FAILED = 'text_failed';

/** Why an item has no result: the item failed, its thread died, or another item in its batch failed. */
type Failure = 'failed' | 'died' | 'unlucky';

interface MemberHooks {
  readonly onDone: (items: readonly JobItem[], results: readonly Uint8Array[], milliseconds: number) => void;
  readonly onFailed: (items: readonly JobItem[], error: AppError, reason: Failure) => void;
}

/** A thread that has the model open. @internal Exported for tests only. */
export interface PoolMember {
  readonly alone: boolean;
  /** Number of batches that were sent to the thread and are not completed. */
  readonly running: () => number;
  readonly run: (items: readonly JobItem[]) => Promise<void>;
  readonly died: Promise<AppError>;
  /** Resolves when the thread has ended and its memory is freed. */
  readonly ended: Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts a thread, or uses one that has already been started. Rejects if the model cannot be opened. */
async function startMember(
  { transform, ...model }: PooledModel & Pick<OpenModel, 'priority'>,
  threads: number,
  alone: boolean,
  hooks: MemberHooks,
  thread: InferenceThread = startInferenceThread(),
): Promise<PoolMember> {
  const progress = createProgress();
  try {
    await thread.open({ ...model, threads, transform: transform && { ...transform, progress } });
  } catch (error) {
    await thread.close();
    throw error;
  }
  const { padId } = model.manifest.tokenizer;
  let running = 0;
  let stuckAt: number | undefined;
  const seconds = transform?.script.limits.seconds;
  const endWatch =
    seconds === undefined
      ? undefined
      : watchTransform(progress, seconds, (row) => {
          stuckAt = row;
          thread.kill();
        });
  void thread.died.then(endWatch);

  const finish = async (items: readonly JobItem[]): Promise<void> => {
    const started = performance.now();
    const rows = items.map(({ view, text }) => ({
      view,
      details: text.details,
      words: text.words && withoutMask(text.words),
    }));
    const batch = padBatch(
      items.map(({ text }) => text),
      padId,
    );
    const { bytes, ends, failures } = await thread.render(batch, rows);
    const failed = new Set(failures.map(({ row }) => row));
    for (const { row, message } of failures) {
      hooks.onFailed([itemAt(items, row)], textFailed(message), 'failed');
    }
    const results = ends.map((end, row) => bytes.subarray(row === 0 ? 0 : ends[row - 1], end));
    const isDone = (_: unknown, row: number): boolean => !failed.has(row);
    hooks.onDone(items.filter(isDone), results.filter(isDone), performance.now() - started);
  };
  /**
   * Only the running batch can have caused the failure, so the batches that wait behind it are sent
   * to other threads.
   */
  const fail = (items: readonly JobItem[], error: AppError): void => {
    const culprit = stuckAt === undefined ? undefined : items[stuckAt];
    if (culprit) {
      stuckAt = undefined;
      const message = `The transform failed: it exceeded its time limit of ${seconds} s (transform_limits.seconds)`;
      hooks.onFailed([culprit], textFailed(message), 'failed');
      hooks.onFailed(
        items.filter((item) => item !== culprit),
        error,
        'unlucky',
      );
    } else hooks.onFailed(items, error, thread.alive() ? 'failed' : 'died');
  };

  return {
    alone,
    running: () => running,
    async run(items) {
      running += 1;
      try {
        await finish(items);
      } catch (error) {
        fail(items, AppError.from(error));
      } finally {
        running -= 1;
      }
    },
    died: thread.died,
    ended: thread.ended,
    async close() {
      endWatch?.();
      await thread.close();
    },
  };
}

/** The batch already contains the mask. */
const withoutMask = (words: TextWords): TextWords => ({ ...words, mask: NO_MASK });
const NO_MASK = new Int32Array();

const textFailed = (message: string): AppError =>
  new AppError('InternalError', message, { reason: TEXT_FAILED });
