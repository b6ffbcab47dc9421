/** Settings of the watchdog's thread. */
export interface WatchdogOrder {
  /** The counters that the watched thread writes, by the names below. */
  readonly shared: SharedArrayBuffer;
  readonly timeoutMs: number;
  readonly intervalMs: number;
}

/** Positions of the counters. */
export const BEATS = 0;
export const REQUESTS = 1;
/** 1 while a debugger is connected, which can pause the thread. */
export const DEBUGGER = 2;
export const COUNTERS = 3;

/**
 * A watchdog ends its process with this signal, so that the exit code is distinct: 142 in shells, containers and systemd (128 + 14).
 */
export const WATCHDOG_SIGNAL = 'SIGALRM';
export const WATCHDOG_EXIT_CODE = 142;
