/** Limits of a child process together with everything that it starts. */
export interface ProcessLimits {
  /** Bytes of memory. A process that needs more is killed. */
  readonly memory?: number | undefined;
  /** Processors, in fractions. The processes are slowed down to that. */
  readonly cpus?: number | undefined;
  /** Processes and threads. Starting another one fails. */
  readonly processes?: number | undefined;
}

export const LIMIT_NAMES = ['memory', 'cpus', 'processes'] as const satisfies (keyof ProcessLimits)[];
