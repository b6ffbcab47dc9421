export interface ThreadPlan {
  /** Number of threads that each own a session. */
  readonly workers: number;
  /** Number of compute threads per session. */
  readonly threads: number;
  /**
   * Number of compute threads of an additional session for single texts; undefined if there is none.
   */
  readonly alone?: number;
}

export interface Machine {
  readonly cores: number;
  /** Memory available to this process. */
  readonly memoryBytes: number;
  readonly weightsBytes: number;
  /** Whether all threads use one copy of the weights, as those of a static model do. */
  readonly sharesWeights?: boolean;
}

/** Thread counts that the user requested. */
export interface RequestedThreads {
  readonly workers?: number | undefined;
  readonly threads?: number | undefined;
}

/**
 * Plans the threads of a server. Single-threaded sessions process more texts than one session with
 * all threads (docs/decisions/0009), but a single text is faster with all threads, so single texts
 * have a session of their own. On one CPU, it is as fast as the others, but single texts can run while
 * a bulk request runs in the worker. Every session keeps a prepacked copy of the weights, so the number
 * of sessions is limited by the memory. The number of running threads does not exceed the number of
 * CPUs, because twice as many threads halve the throughput (measured), except while an interactive
 * request runs between bulk requests.
 */
export function planThreads(machine: Machine, wanted: RequestedThreads): ThreadPlan {
  const { cores, sharesWeights = false } = machine;
  if (sharesWeights) return { workers: Math.min(wanted.workers ?? TABLE_WORKERS, cores), threads: 1 };
  if (wanted.workers === undefined && wanted.threads === undefined && maxSessions(machine) > cores)
    return { workers: cores, threads: 1, alone: cores };
  const workers = Math.min(wanted.workers ?? defaultWorkers(machine, wanted.threads ?? 1), cores);
  const maxThreads = Math.max(1, Math.floor(cores / workers));
  return { workers, threads: Math.min(wanted.threads ?? maxThreads, maxThreads) };
}

/** The thread that receives requests takes longer for a text of a static model than a worker does. */
const TABLE_WORKERS = 1;

/** Maximum share of the memory for copies of the weights. */
const WEIGHTS_SHARE = 0.25;

/** Maximum number of sessions that fit into memory. */
export const maxSessions = ({ memoryBytes, weightsBytes }: Machine): number =>
  Math.floor((memoryBytes * WEIGHTS_SHARE) / Math.max(weightsBytes, 1));

const defaultWorkers = (machine: Machine, threads: number): number =>
  Math.max(1, Math.min(Math.floor(machine.cores / threads), maxSessions(machine)));

/**
 * Returns the number of token pairs (texts x length²) above which a batch counts as large. The
 * memory for attention scores is proportional to this number, and threads keep the memory of their
 * largest batch. Large texts run one at a time (docs/decisions/0058).
 */
export const maxPairsInThreads = (bytesPerPair: number, memoryBytes: number): number =>
  Math.min(MAX_ATTENTION_BYTES, memoryBytes * ATTENTION_SHARE) / bytesPerPair;

/** With 12 attention heads, this equals a text of 1632 tokens. */
const MAX_ATTENTION_BYTES = 256_000_000;
const ATTENTION_SHARE = 1 / 16;
