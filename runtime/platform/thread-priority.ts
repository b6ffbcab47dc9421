import { constants, getPriority, setPriority } from 'node:os';

/** Enough that the thread that serves gets a processor as soon as it has something to do. */
const STEPS = 10;

/**
 * Lets other threads of the process go before this one and before those that it starts from now on. Where the system knows
 * priorities of whole processes only, nothing changes.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  setPriority(Math.min(getPriority() + STEPS, constants.priority.PRIORITY_LOW));
}
