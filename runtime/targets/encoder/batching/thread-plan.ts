export interface ThreadPlan {
  /** Number of threads that each own a session. */
  readonly workers: number;
  /** Compute threads of each session. */
  readonly threads: number;
  /** Compute threads of an additional session for single texts; undefined if it would be like the others. */
  readonly alone?: number;
}

export interface Machine {
  readonly cores: number;
  /** Memory available to this process. */
  readonly memoryBytes: number;
  readonly weightsBytes: number;
}

/** Thread counts that the user requested. */
export interface RequestedThreads {
  readonly workers?: number | undefined;
  readonly threads?: number | undefined;
}

/**
 * Plans the threads of a server. Single-threaded sessions answer more texts than one session with all threads
 * (docs/decisions/0009), but a single text is answered sooner with all threads, so there is a session for that too. Every
 * session keeps a prepacked copy of the weights, so there are only as many as fit into memory. The running threads never exceed
 * the processors: twice as many halve the throughput (measured).
 */
export function planThreads(machine: Machine, wanted: RequestedThreads): ThreadPlan {
  const { cores } = machine;
  if (
    wanted.workers === undefined &&
    wanted.threads === undefined &&
    cores > 1 &&
    maxSessions(machine) > cores
  )
    return { workers: cores, threads: 1, alone: cores };
  const workers = Math.min(wanted.workers ?? defaultWorkers(machine, wanted.threads ?? 1), cores);
  const maxThreads = Math.max(1, Math.floor(cores / workers));
  return { workers, threads: Math.min(wanted.threads ?? maxThreads, maxThreads) };
}

/** Share of the memory that copies of the weights can use. */
const MEMORY_SHARE = 0.25;

/** Maximum number of sessions that fit into the memory. */
export const maxSessions = ({ memoryBytes, weightsBytes }: Machine): number =>
  Math.floor((memoryBytes * MEMORY_SHARE) / Math.max(weightsBytes, 1));

const defaultWorkers = (machine: Machine, threads: number): number =>
  Math.max(1, Math.min(Math.floor(machine.cores / threads), maxSessions(machine)));
