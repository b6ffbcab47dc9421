import type { Steps } from '#core/limits/steps.ts';

/** All steps, one after the other. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
