import { constants, getPriority, setPriority } from 'node:os';

/** Priorities of threads compared with that of the process, as steps of niceness. */
const STEPS = {
  normal: 0,
  /** Low enough that the serving thread gets a CPU as soon as it has work. */
  reduced: 3,
  /** Low enough that threads of the other priorities get most of the CPU time. */
  low: 10,
};

export type ThreadPriority = keyof typeof STEPS;

/**
 * Sets the priority of this thread and of threads that it starts later. No effect on systems that
 * only have process priorities.
 */
export function setThreadPriority(priority: ThreadPriority): void {
  if (process.platform !== 'linux' || priority === 'normal') return;
  setPriority(Math.min(getPriority() + STEPS[priority], constants.priority.PRIORITY_LOW));
}
