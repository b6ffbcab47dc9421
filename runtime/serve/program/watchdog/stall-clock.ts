/** What the watchdog sees of the thread that it watches, at one moment. */
export interface ThreadView {
  /** Monotonic time in milliseconds. */
  readonly at: number;
  /** Number of turns of the event loop that the thread has reported. */
  readonly beats: number;
  /** Processor time of the thread in milliseconds, and what it does; undefined where the system does not report it. */
  readonly thread: { readonly cpuMs: number; readonly state: ThreadState } | undefined;
}

/** `waiting`: in a call that does not use the processor. `other`: stopped by a signal or a debugger, or waiting for a disk. */
export type ThreadState = 'runnable' | 'waiting' | 'other';

/** Returns how long the event loop has stood still, in milliseconds. */
export type StallClock = (view: ThreadView) => number;

/**
 * Adds up the time in which an event loop stands still because of what its thread does. Time in which the whole process did not
 * run does not count: a process that was suspended, or that gets no processor time, would otherwise be ended when it wakes up. So a
 * thread that computes is charged with its processor time, and one that waits in a call with at most the interval of the watchdog.
 */
export function createStallClock(intervalMs: number): StallClock {
  let last: ThreadView | undefined;
  let stalledMs = 0;
  return (view) => {
    const before = last;
    last = view;
    if (!before || before.beats !== view.beats) return (stalledMs = 0);
    const elapsed = Math.min(view.at - before.at, 2 * intervalMs);
    if (!view.thread || !before.thread) return (stalledMs += elapsed);
    const { cpuMs, state } = view.thread;
    const computed = cpuMs - before.thread.cpuMs;
    const waited = state === 'waiting' && before.thread.state === 'waiting' ? elapsed : 0;
    return (stalledMs += Math.max(computed, waited));
  };
}
