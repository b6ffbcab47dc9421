import { setImmediate as others } from 'node:timers/promises';
import type { Steps } from '../core/limits/steps.ts';

/** Maximum time slice before yielding to the event loop. */
const MAX_SLICE_MS = 4;

/** Creates a function to await regularly in long computations: it yields to the event loop when the time slice is used up. */
export function createYielder(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MAX_SLICE_MS) return;
    await others();
    since = performance.now();
  };
}

/** Runs all steps, and yields to the event loop in between. */
export async function runYielding<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await others();
    const until = performance.now() + MAX_SLICE_MS;
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() < until);
  }
}
