export interface ThreadPlan {
  /** Threads that each own a session. */
  readonly workers: number;
  /** Threads that each session computes with. */
  readonly threads: number;
}

/** What the user asked for. */
export interface WantedThreads {
  readonly workers?: number | undefined;
  readonly threads?: number | undefined;
}

/** How a server's processors are divided. Never more threads than processors: measured, twice as many halve the throughput. */
export function planThreads(cores: number, wanted: WantedThreads): ThreadPlan {
  const workers = Math.min(wanted.workers ?? defaultWorkers(cores, wanted.threads), cores);
  const most = Math.max(1, Math.floor(cores / workers));
  return { workers, threads: Math.min(wanted.threads ?? most, most) };
}

/** A session of a small model gains little from more threads than this. */
const THREADS_PER_WORKER = 4;

const defaultWorkers = (cores: number, threads = THREADS_PER_WORKER): number =>
  Math.max(1, Math.floor(cores / Math.min(threads, cores)));
