import { expect } from 'vitest';
import { callOf, type TestManager } from './use-manager.ts';

export interface Load {
  readonly answers: { readonly ok: number; readonly refused: readonly unknown[] };
  /** Resolves after this many additional responses. */
  readonly more: (count: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/**
 * Calls a server's `echo` repeatedly, with this many calls in parallel, until it is stopped. Each response must match
 * its own call.
 */
export function keepCalling({ calls }: TestManager, server: string, concurrency: number): Load {
  const answers = { ok: 0, refused: [] as unknown[] };
  let progress = Promise.withResolvers<void>();
  const stop = new AbortController();
  const callOn = async (worker: number): Promise<void> => {
    for (let call = 0; !stop.signal.aborted; call += 1) {
      const message = `${worker}.${call}`;
      try {
        const result = await calls.callTool({ ...callOf(server), tool: 'echo', args: { message } });
        expect(result.content).toEqual([{ type: 'text', text: message }]);
        answers.ok += 1;
      } catch (error) {
        answers.refused.push(error);
      }
      progress.resolve();
    }
  };
  const work = Promise.all(Array.from({ length: concurrency }, (_, worker) => callOn(worker)));
  return {
    answers,
    async more(count) {
      for (const until = answers.ok + count; answers.ok < until;) {
        progress = Promise.withResolvers<void>();
        await progress.promise;
      }
    },
    async stop() {
      stop.abort();
      await work;
    },
  };
}
