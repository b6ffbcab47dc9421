import { lookup } from '#core/values/lookup.ts';
import { readFileSync } from 'node:fs';

/** The state of the watched thread at one point in time, as observed by the watchdog. */
export interface ThreadView {
  /** Monotonic time in milliseconds. */
  readonly at: number;
  /** Number of event loop iterations that the thread has reported. */
  readonly beats: number;
  /** CPU time of the thread in milliseconds, and its state; undefined if the system does not report them. */
  readonly thread: { readonly cpuMs: number; readonly state: ThreadState } | undefined;
}

/**
 * `waiting`: in a call that does not use the CPU. `other`: stopped by a signal or a debugger, or
 * waiting for a disk. @internal
 */
export type ThreadState = 'runnable' | 'waiting' | 'other';

/** Returns how long the event loop has been blocked, in milliseconds. */
export type StallClock = (view: ThreadView) => number;

/**
 * Adds up the time during which an event loop is blocked by its own thread. Time in which the whole
 * process did not run does not count: otherwise a process that was suspended, or that got no CPU
 * time, would be ended when it wakes up. A thread that computes is therefore charged with its CPU
 * time, and a thread that waits in a call with at most the watchdog's interval.
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

/** Milliseconds per tick of the times in /proc, which is 100 Hz for programs on every architecture. */
const TICK_MS = 10;

/** Reads the state of this process's main thread; undefined if the system has no /proc. */
export function mainThreadFacts(): ThreadView['thread'] {
  try {
    const text = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8');
    return threadFacts(text);
  } catch {
    // This also happens if no file descriptors are free.
    return undefined;
  }
}

/**
 * Parses the format of /proc/self/task/<id>/stat. The program's name can contain spaces and
 * parentheses. @internal
 */
export function threadFacts(stat: string): ThreadView['thread'] {
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const cpuMs = (Number(fields[10]) + Number(fields[11])) * TICK_MS;
  return Number.isNaN(cpuMs) ? undefined : { cpuMs, state: STATES[state] ?? 'other' };
}

const STATES = lookup<ThreadState>({ R: 'runnable', S: 'waiting' });

/** Settings of the watchdog's thread. */
export interface WatchdogOrder {
  /** The counters that the watched thread writes, at the positions below. */
  readonly shared: SharedArrayBuffer;
  readonly timeoutMs: number;
  readonly intervalMs: number;
  readonly isMainThread: boolean;
}

/** Positions of the counters. */
export const BEATS = 0;
export const REQUESTS = 1;
/** 1 while a debugger is connected, which can pause the thread. */
export const DEBUGGER = 2;
export const COUNTERS = 3;

/**
 * The watchdog terminates its process with this signal, so that the exit code is distinctive: 142 in
 * shells, containers and systemd (128 + 14).
 */
export const WATCHDOG_SIGNAL = 'SIGALRM';
export const WATCHDOG_EXIT_CODE = 142;
