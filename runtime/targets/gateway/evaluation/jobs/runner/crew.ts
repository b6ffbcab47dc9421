import { randomUUID } from 'node:crypto';
import { pause } from '#platform/pause.ts';
import type { Clock } from '#platform/clock.ts';
import type { ComputeEnd } from '../compute/compute.ts';

export interface EndedWorker {
  readonly worker: string;
  readonly end: ComputeEnd;
}

/** The workers of a job that are running or being started. */
export interface Crew {
  readonly size: () => number;
  readonly start: () => void;
  /** Resolves with a worker that has ended, or with undefined when the time is over or the signal is aborted. */
  readonly next: (withinMs: number, signal: AbortSignal) => Promise<EndedWorker | undefined>;
  /** Resolves when all workers have ended. */
  readonly allEnded: () => Promise<void>;
}

interface CrewOptions {
  readonly run: (worker: string) => Promise<ComputeEnd>;
  readonly clock: Clock;
  /** Called for each worker that ends. */
  readonly onEnd: () => void;
}

export function createCrew({ run, clock, onEnd }: CrewOptions): Crew {
  const running = new Set<Promise<void>>();
  let size = 0;
  const ended: (EndedWorker | { readonly error: unknown })[] = [];
  let wake = (): void => undefined;

  const runOne = async (worker: string): Promise<void> => {
    const one = await run(worker).then(
      (end) => ({ worker, end }),
      (error: unknown) => ({ error }),
    );
    size -= 1;
    ended.push(one);
    onEnd();
    wake();
  };
  return {
    size: () => size,
    start() {
      size += 1;
      const one = runOne(randomUUID()).finally(() => running.delete(one));
      running.add(one);
    },
    async next(withinMs, signal) {
      if (ended.length === 0) {
        const woken = new AbortController();
        wake = () => woken.abort();
        await pause(withinMs, clock, AbortSignal.any([signal, woken.signal]));
      }
      const one = ended.shift();
      if (one && 'error' in one) throw one.error;
      return one;
    },
    async allEnded() {
      await Promise.all(running);
    },
  };
}
