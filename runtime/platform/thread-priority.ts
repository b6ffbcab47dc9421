import { constants, getPriority, setPriority } from 'node:os';

/** Low enough that the serving thread gets a CPU as soon as it has work. */
const STEPS = 10;

/**
 * Lowers the priority of this thread and of threads that it starts later. No effect on systems that
 * only have process priorities.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  setPriority(Math.min(getPriority() + STEPS, constants.priority.PRIORITY_LOW));
}
