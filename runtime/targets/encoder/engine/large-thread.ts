import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { returnFreedMemory } from '#platform/malloc.ts';
import type { JobItem } from './job.ts';
import type { MemberHooks, PoolMember } from './pool-member.ts';

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
 * (docs/decisions/0058).
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
