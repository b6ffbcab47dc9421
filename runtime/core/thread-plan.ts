export interface ThreadPlan {
  /** Threads that each own a session. */
  readonly workers: number;
  /** Threads that each session computes with. */
  readonly threads: number;
}

export interface Machine {
  readonly cores: number;
  /** What this process may use. */
  readonly memoryBytes: number;
  readonly weightsBytes: number;
}

/** What the user asked for. */
export interface WantedThreads {
  readonly workers?: number | undefined;
  readonly threads?: number | undefined;
}

/**
 * How a server's processors are divided. Sessions of one thread each answer more texts than one session with all threads
 * (docs/decisions/0009), but every session keeps a re-packed copy of the weights, so there are only as many as fit. Never more
 * threads than processors: measured, twice as many halve the throughput.
 */
export function planThreads(machine: Machine, wanted: WantedThreads): ThreadPlan {
  const { cores } = machine;
  const workers = Math.min(wanted.workers ?? defaultWorkers(machine, wanted.threads ?? 1), cores);
  const most = Math.max(1, Math.floor(cores / workers));
  return { workers, threads: Math.min(wanted.threads ?? most, most) };
}

/** The share of the memory that copies of the weights may take. */
const MEMORY_SHARE = 0.25;

function defaultWorkers({ cores, memoryBytes, weightsBytes }: Machine, threads: number): number {
  const fitting = Math.floor((memoryBytes * MEMORY_SHARE) / Math.max(weightsBytes, 1));
  return Math.max(1, Math.min(Math.floor(cores / threads), fitting));
}
