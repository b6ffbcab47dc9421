import type { AppError } from '../../../contract/errors.ts';
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
  /** Batches that could be sent now: `idle` to threads with nothing to do, `ahead` to threads that still run one. */
  readonly room: () => { idle: number; ahead: number };
  readonly send: (items: readonly JobItem[]) => void;
  /** Threads that are there. */
  readonly size: () => number;
  readonly close: () => Promise<void>;
}

interface Member {
  readonly thread: InferenceThread;
  /** Batches it was given and has not answered. */
  running: number;
}

/** One batch runs and one lies ready behind it, so that a thread never waits for the next. */
const AHEAD = 1;
/** A model that cannot be opened again is not tried for ever. */
const START_ATTEMPTS = 3;

/** Threads that each have the model open. One that dies is replaced. Rejects if the model cannot be opened. */
export async function startPool(
  model: Omit<OpenModel, 'kind'>,
  size: number,
  padId: number,
  hooks: PoolHooks,
): Promise<Pool> {
  const members = new Set<Member>();
  let closing = false;

  const add = async (): Promise<void> => {
    const thread = startInferenceThread();
    try {
      await thread.open(model);
    } catch (error) {
      await thread.close();
      throw error;
    }
    if (closing) return await thread.close();
    const member = { thread, running: 0 };
    members.add(member);
    void thread.died.then((error) => replace(member, error));
  };
  const revive = async (attempts: number): Promise<void> => {
    if (closing || attempts === 0) return;
    // When all attempts fail, the other threads go on alone.
    await add().catch(() => revive(attempts - 1));
  };
  const replace = async (member: Member, error: AppError): Promise<void> => {
    members.delete(member);
    hooks.onDeath(error);
    await revive(START_ATTEMPTS);
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
    await Promise.all(Array.from({ length: size }, add));
  } catch (error) {
    await Promise.all([...members].map(({ thread }) => thread.close()));
    throw error;
  }
  const withRunning = (running: number): Member[] =>
    [...members].filter((member) => member.running === running);
  return {
    room: () => ({ idle: withRunning(0).length, ahead: withRunning(AHEAD).length }),
    send(items) {
      const [member] = [...withRunning(0), ...withRunning(AHEAD)];
      if (!member) throw new Error('no thread has room');
      void run(member, items);
    },
    size: () => members.size,
    async close() {
      closing = true;
      await Promise.all([...members].map(({ thread }) => thread.close()));
    },
  };
}
