/** Limits for a child process together with everything that it starts. */
export interface ProcessLimits {
  /** Memory in bytes. A process that needs more is killed. */
  readonly memory?: number | undefined;
  /** CPUs, in fractions. The processes are throttled to this. */
  readonly cpus?: number | undefined;
  /** Number of processes and threads. Starting another one fails. */
  readonly processes?: number | undefined;
}

export const LIMIT_NAMES = ['memory', 'cpus', 'processes'] as const satisfies (keyof ProcessLimits)[];
