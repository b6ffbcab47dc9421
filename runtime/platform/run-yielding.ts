import { setImmediate as others } from 'node:timers/promises';
import type { Steps } from '#core/limits/steps.ts';

/** Maximum time slice before yielding to the event loop. */
const MAX_SLICE_MS = 4;

/** Maximum time slice for steps, which are shorter. */
const MAX_STEPS_MS = 1;

/**
 * Creates a function to await regularly in long computations: it yields to the event loop when the
 * time slice is used up.
 */
export function createYielder(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MAX_SLICE_MS) return;
    await others();
    since = performance.now();
  };
}

/** Resolves in the next turn of the event loop. */
export const nextTurn = (): Promise<void> => others();

/** Callers of `ownTurn` that have not been resumed. */
const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop in which no other caller of this function is resumed. Any
 * number of long computations then delays other work by one time slice per turn.
 */
export const ownTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeNext);
  });

function resumeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
}

/** When the current turn was first checked. */
let turnBegan: number | undefined;

/**
 * Whether all callers of this function together have used up the time slice of the current turn of
 * the event loop.
 */
export function isTurnUsedUp(): boolean {
  const now = performance.now();
  if (turnBegan !== undefined) return now - turnBegan >= MAX_SLICE_MS;
  turnBegan = now;
  void others().then(() => (turnBegan = undefined));
  return false;
}

/** Runs all steps without a break. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Runs steps over this many bytes; without a break if there are few bytes, so that small requests
 * do not wait for a turn.
 */
export const runFairly = <Result>(steps: Steps<Result>, bytes: number): Result | Promise<Result> =>
  isLarge(bytes) ? runYielding(steps) : runAtOnce(steps);

/** Whether processing this many bytes takes so long that other work should get a turn in between. */
export const isLarge = (bytes: number): boolean => bytes > 256 * 1024;

/** Runs all steps, and yields to the event loop in between. */
export async function runYielding<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await ownTurn();
    const until = performance.now() + MAX_STEPS_MS;
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() < until);
  }
}
