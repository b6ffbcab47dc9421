import type { AppError } from '#contract/errors.ts';
import { itemAt } from '#core/values/item-at.ts';
import { backgroundClock, type Clock } from '#platform/clock.ts';
import { returnFreedMemory } from '#platform/malloc.ts';
import type { InferenceThread } from './inference-thread.ts';
import type { JobItem } from './job.ts';
import { createLargeThread } from './large-thread.ts';
import { type MemberHooks, type PooledModel, type PoolMember, startMember } from './pool-member.ts';
import type { ThreadPlan } from './thread-plan.ts';

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
   * CPUs runs all batches. Workers that are not faster than that session are opened for bulk requests
   * only.
   */
  readonly openWorkers: (isBulk: boolean) => void;
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
  { first, start = startMember, clock = backgroundClock }: PoolParts = {},
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
  const openWorkers = (isBulk: boolean): void => {
    const isFaster = workers > 1;
    // A file that has been replaced cannot be opened again.
    if (workersWanted || closing || !(isFaster || isBulk) || !canReopen()) return;
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
      void Promise.all([...members].map(({ ended }) => ended)).then(returnFreedMemory);
    },
  };
}
