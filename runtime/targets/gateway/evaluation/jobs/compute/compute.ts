/** A place where workers run. */
export interface Compute {
  readonly name: string;
  /** Runs a worker for a claimed job. Resolves when no process of it is running any more, however it ended. */
  run(assignment: Assignment, progress: ComputeProgress, signal: AbortSignal): Promise<ComputeEnd>;
  /** The number of workers that its machines have room for, at least 1. */
  capacity(): Promise<number>;
  close(): Promise<void>;
}

export interface ComputeProgress {
  /** Called when a worker is running. */
  readonly started: () => Promise<void>;
  /** Called when the compute has accepted the worker, but it is not running yet. */
  readonly waiting: (reason: string) => Promise<void>;
  /** Called when the compute does not answer although the worker can still be running, and with null when it answers again. */
  readonly unreachable: (problem: string | null) => Promise<void>;
}

export type ComputeEnd = WorkerEnded | ComputeUnavailable | ComputeRefusal;

/** How a worker ended. The database has the state of the job. */
export interface WorkerEnded {
  readonly kind: 'ended';
  /** Whether it ended without an error, because no rows were left for it. */
  readonly succeeded: boolean;
  /** For example `exit code 1`. */
  readonly how: string;
  /** The last lines of the worker's output that are not in the log of the job. */
  readonly lines: readonly string[];
}

/** No worker is running, and a later attempt can succeed: the job stays queued. */
export interface ComputeUnavailable {
  readonly kind: 'unavailable';
  readonly reason: string;
}

/** The compute will never run this job. */
interface ComputeRefusal {
  readonly kind: 'refused';
  readonly reason: string;
}

/** Everything that a worker needs, also on another machine. */
export interface Assignment {
  readonly jobId: string;
  readonly epoch: number;
  /** URL of the gateway that holds the lease. */
  readonly gatewayUrl: string;
  /** Valid for this job only, while the lease is held. */
  readonly token: string;
}

/** Environment variables with the gateway's URL and the token of a worker. Command lines would be visible to other users. */
export const JOB_URL_VARIABLE = 'GATEWAY_JOB_URL';
export const JOB_TOKEN_VARIABLE = 'GATEWAY_JOB_TOKEN';
/** Environment variable with the paths of fetched executables, by the job's names of its encoders, as JSON. */
export const JOB_FILES_VARIABLE = 'GATEWAY_JOB_FILES';
