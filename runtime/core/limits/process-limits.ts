/** Limits for a child process and all its descendants together. */
export interface ProcessLimits {
  /** Memory in bytes. If more is used, a process is killed. */
  readonly memory?: number | undefined;
  /** Number of CPUs, which can be a fraction. If more CPU time is used, the processes are throttled. */
  readonly cpus?: number | undefined;
  /** Number of processes and threads. Starting more fails. */
  readonly processes?: number | undefined;
}

export const LIMIT_NAMES = ['memory', 'cpus', 'processes'] as const satisfies (keyof ProcessLimits)[];
