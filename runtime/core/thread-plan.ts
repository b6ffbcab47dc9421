export interface ThreadPlan {
  /** Threads that each own a session. */
  readonly workers: number;
  /** Threads that each session computes with. */
  readonly threads: number;
  /** Threads of one more session, for a text that comes alone; none where it would be as any other. */
  readonly alone?: number;
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
 * (docs/decisions/0009), but a text that comes alone is answered sooner by all threads, so there is a session for that too. Every
 * session keeps a re-packed copy of the weights: there are only as many as fit. What runs never has more threads than there are
 * processors: measured, twice as many halve the throughput.
 */
export function planThreads(machine: Machine, wanted: WantedThreads): ThreadPlan {
  const { cores } = machine;
  if (wanted.workers === undefined && wanted.threads === undefined && cores > 1 && fitting(machine) > cores)
    return { workers: cores, threads: 1, alone: cores };
  const workers = Math.min(wanted.workers ?? defaultWorkers(machine, wanted.threads ?? 1), cores);
  const most = Math.max(1, Math.floor(cores / workers));
  return { workers, threads: Math.min(wanted.threads ?? most, most) };
}

/** The share of the memory that copies of the weights may take. */
const MEMORY_SHARE = 0.25;

const fitting = ({ memoryBytes, weightsBytes }: Machine): number =>
  Math.floor((memoryBytes * MEMORY_SHARE) / Math.max(weightsBytes, 1));

const defaultWorkers = (machine: Machine, threads: number): number =>
  Math.max(1, Math.min(Math.floor(machine.cores / threads), fitting(machine)));
