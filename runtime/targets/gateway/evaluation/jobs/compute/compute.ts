/** A backend that runs workers. */
export interface Compute {
  readonly name: string;
  /** Runs a worker for a claimed job. Resolves when none of its processes is running anymore, however it ended. */
  run(assignment: Assignment, progress: ComputeProgress, signal: AbortSignal): Promise<ComputeEnd>;
  /** The number of workers that fit on its machines, at least 1. */
  capacity(): Promise<number>;
  close(): Promise<void>;
}

export interface ComputeProgress {
  /** Called when a worker is running. */
  readonly started: () => Promise<void>;
  /** Called when the compute backend has accepted the worker, but it is not running yet. */
  readonly waiting: (reason: string) => Promise<void>;
  /**
   * Called when the compute backend stops responding although the worker may still be running, and with null
   * when it responds again.
   */
  readonly unreachable: (problem: string | null) => Promise<void>;
}

export type ComputeEnd = WorkerEnded | ComputeUnavailable | ComputeRefusal;

/** How a worker ended. The job's state is in the database. */
export interface WorkerEnded {
  readonly kind: 'ended';
  /** Whether it ended without an error, because it found no more rows. */
  readonly succeeded: boolean;
  /** For example `exit code 1`. */
  readonly how: string;
  /** The worker's last output lines that are not in the job's log. */
  readonly lines: readonly string[];
}

/** No worker is running, and a later attempt may succeed: the job stays queued. */
export interface ComputeUnavailable {
  readonly kind: 'unavailable';
  readonly reason: string;
}

/** The compute backend will never run this job. */
interface ComputeRefusal {
  readonly kind: 'refused';
  readonly reason: string;
}

/** Everything that a worker needs, even on another machine. */
export interface Assignment {
  readonly jobId: string;
  readonly epoch: number;
  /** URL of the gateway that holds the lease. */
  readonly gatewayUrl: string;
  /** Valid for this job only, while the lease is held. */
  readonly token: string;
}

/**
 * Environment variables with the gateway's URL and a worker's token. On the command line, other users could
 * see them.
 */
export const JOB_URL_VARIABLE = 'GATEWAY_JOB_URL';
export const JOB_TOKEN_VARIABLE = 'GATEWAY_JOB_TOKEN';
/** Environment variable with the paths of fetched executables, keyed by the job's encoder names, as JSON. */
export const JOB_FILES_VARIABLE = 'GATEWAY_JOB_FILES';
