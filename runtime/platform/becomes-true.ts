import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_AGAIN_MS = 10;

/** Waits for a state of the system that no event reports. Returns whether it was reached within `patienceMs`. */
export async function becomesTrue(patienceMs: number, isTrue: () => boolean): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while (!isTrue()) {
    if (performance.now() >= deadline) return false;
    await sleep(LOOK_AGAIN_MS);
  }
  return true;
}
