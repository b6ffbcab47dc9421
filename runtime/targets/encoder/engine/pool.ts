import type { AppError } from '../../../contract/errors.ts';
import type { ThreadPlan } from '../../../core/thread-plan.ts';
import { padBatch } from '../../../core/padding.ts';
import { type InferenceThread, startInferenceThread } from './inference-thread.ts';
import type { JobItem } from './job.ts';
import type { OpenModel } from './protocol.ts';

export interface PoolHooks {
  /** A thread has room: give it work with `send`, if there is any. */
  readonly onRoom: () => void;
  readonly onDone: (items: readonly JobItem[], results: readonly Uint8Array[], milliseconds: number) => void;
  readonly onFailed: (items: readonly JobItem[], error: AppError, threadDied: boolean) => void;
  readonly onDeath: (error: AppError) => void;
}

export interface Pool {
  /**
   * Batches that could be sent now: `idle` to threads with nothing to do, `ahead` to threads that still run one. None while a
   * batch has all processors.
   */
  readonly room: () => { idle: number; ahead: number };
  readonly send: (items: readonly JobItem[]) => void;
  /** Whether nothing runs, and there is a session that computes with all processors. */
  readonly canRunAlone: () => boolean;
  readonly sendAlone: (items: readonly JobItem[]) => void;
  /** Threads that are there. */
  readonly size: () => number;
  /** Whether no thread is there, and none will be. */
  readonly ended: () => boolean;
  readonly close: () => Promise<void>;
}

interface Member {
  readonly thread: InferenceThread;
  readonly alone: boolean;
  /** Batches it was given and has not answered. */
  running: number;
}

/** One batch runs and one lies ready behind it, so that a thread never waits for the next. */
const AHEAD = 1;
/** A model that cannot be opened again is not tried for ever. */
const START_ATTEMPTS = 3;

/** Threads that each have the model open. One that dies is replaced. Rejects if the model cannot be opened. */
export async function startPool(
  model: Omit<OpenModel, 'kind' | 'threads'>,
  { workers, threads, alone }: ThreadPlan,
  padId: number,
  hooks: PoolHooks,
): Promise<Pool> {
  const members = new Set<Member>();
  let closing = false;
  let reviving = 0;

  const add = async (isAlone: boolean): Promise<void> => {
    const thread = startInferenceThread();
    try {
      await thread.open({ ...model, threads: isAlone && alone !== undefined ? alone : threads });
    } catch (error) {
      await thread.close();
      throw error;
    }
    if (closing) return await thread.close();
    const member = { thread, alone: isAlone, running: 0 };
    members.add(member);
    void thread.died.then((error) => replace(member, error));
  };
  const revive = async (isAlone: boolean, attempts: number): Promise<void> => {
    if (closing || attempts === 0) return;
    // When all attempts fail, the other threads go on without it.
    await add(isAlone).catch(() => revive(isAlone, attempts - 1));
  };
  const replace = async (member: Member, error: AppError): Promise<void> => {
    members.delete(member);
    hooks.onDeath(error);
    reviving += 1;
    await revive(member.alone, START_ATTEMPTS);
    reviving -= 1;
    hooks.onRoom();
  };
  const run = async (member: Member, items: readonly JobItem[]): Promise<void> => {
    const started = performance.now();
    member.running += 1;
    try {
      const rows = items.map(({ job, text }) => ({ view: job.view, details: text.details }));
      const { bytes, ends } = await member.thread.render(
        padBatch(
          items.map(({ text }) => text),
          padId,
        ),
        rows,
      );
      const results = ends.map((end, row) => bytes.subarray(row === 0 ? 0 : ends[row - 1], end));
      hooks.onDone(items, results, performance.now() - started);
    } catch (error) {
      hooks.onFailed(items, error as AppError, !member.thread.alive());
    } finally {
      member.running -= 1;
      hooks.onRoom();
    }
  };

  try {
    const starting = Array.from({ length: workers }, () => add(false));
    await Promise.all(alone === undefined ? starting : [...starting, add(true)]);
  } catch (error) {
    await Promise.all([...members].map(({ thread }) => thread.close()));
    throw error;
  }
  const withRunning = (running: number): Member[] =>
    [...members].filter((member) => !member.alone && member.running === running);
  const loner = (): Member | undefined => [...members].find((member) => member.alone);
  const give = (member: Member | undefined, items: readonly JobItem[]): void => {
    if (!member) throw new Error('no thread has room');
    void run(member, items);
  };
  return {
    room() {
      if (loner()?.running) return { idle: 0, ahead: 0 };
      return { idle: withRunning(0).length, ahead: withRunning(AHEAD).length };
    },
    send: (items) => give([...withRunning(0), ...withRunning(AHEAD)][0], items),
    canRunAlone: () => loner() !== undefined && [...members].every(({ running }) => running === 0),
    sendAlone: (items) => give(loner(), items),
    size: () => members.size,
    ended: () => members.size === 0 && reviving === 0,
    async close() {
      closing = true;
      await Promise.all([...members].map(({ thread }) => thread.close()));
    },
  };
}
