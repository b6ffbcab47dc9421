import { setImmediate as others } from 'node:timers/promises';
import type { Steps } from '../core/steps.ts';

/** Nobody who asks a model notices. */
const LONGEST_MS = 4;

/** For what takes long, to be awaited now and then: others are answered if they have waited for a while. */
export function createMakeWay(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < LONGEST_MS) return;
    await others();
    since = performance.now();
  };
}

/** Runs all steps, and lets others be answered in between. */
export async function amongOthers<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await others();
    const until = performance.now() + LONGEST_MS;
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() < until);
  }
}
