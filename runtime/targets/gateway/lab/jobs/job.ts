import type { Kysely } from 'kysely';
import type { Nanos } from '../../shared/money.ts';
import type { Page } from '../../store/page.ts';
import type { Viewer } from '../datasets/dataset.ts';
import type { Schema } from '../../store/schema.ts';
import type { BatchOutcome, WorkResult, WorkSpec } from '../work/work.ts';
import type { Json } from '../../ask/shapes/chat.ts';
import type { JobStatus } from '../../store/workflow-schema.ts';

export interface Job {
  readonly id: string;
  readonly workflowId: string | null;
  readonly name: string;
  readonly description: string;
  readonly status: JobStatus;
  readonly spec: WorkSpec;
  readonly datasetId: string;
  /** The dataset or table of scores that the job writes. */
  readonly outputId: string | null;
  readonly totalRows: number;
  readonly doneRows: number;
  readonly failedRows: number;
  /** During a retry: failed rows from this one on are processed again. Null when all of them were. */
  readonly retryRow: number | null;
  readonly result: WorkResult | null;
  readonly error: string | null;
  /** Why the job is queued, e.g. because a cluster is unreachable; null if it only waits for a free slot. */
  readonly queuedReason: string | null;
  readonly compute: string;
  /** Time limit in seconds, counted from the last progress. */
  readonly timeoutSec: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cost: Nanos;
  readonly owner: string | null;
  /** The team that is billed in addition to the owner. */
  readonly teamId: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** @internal Exported for tests only. */
export interface NewJob {
  readonly workflowId: string | null;
  readonly name: string;
  readonly description: string;
  readonly spec: WorkSpec;
  readonly datasetId: string;
  readonly outputId: string | null;
  readonly totalRows: number;
  readonly compute: string;
  readonly timeoutSec: number;
  readonly owner: string | null;
  readonly teamId: string | null;
}

/** A job that this process holds until the lease expires. Writes are rejected if another process holds the job by then. */
export interface Claim {
  readonly job: Job;
  readonly epoch: number;
  readonly checkpoint: Json | null;
  /** Whether the job was cancelled before it was claimed. */
  readonly isCancelled: boolean;
}

/** New results for rows that had failed. */
interface ReplacedRows {
  /** First row of the batch. It must be the `retryRow` of the job. */
  readonly from: number;
  /** Row at which the retry continues; null if no failed row is left. */
  readonly next: number | null;
  /** Numbers of the rows, from 0, ascending. */
  readonly numbers: readonly number[];
  readonly outcome: BatchOutcome;
}

/** Changes of an ended job that goes back into the queue. */
interface JobRetry {
  readonly spec: WorkSpec;
  readonly timeoutSec: number;
  readonly compute: string;
  readonly outputId: string | null;
  /** Whether stored rows are kept; otherwise the job starts at its first row. */
  readonly resumes: boolean;
}

export interface LogLine {
  readonly id: string;
  readonly at: number;
  readonly level: string;
  readonly text: string;
}

/** The queue of jobs in the database. A process needs a lease to work on a job, and another one can continue if it ends. */
export interface JobQueue {
  create(db: Kysely<Schema>, job: NewJob): Promise<Job>;
  /** Reads a job. Throws a NotFoundError if it does not exist or is not visible. */
  get(viewer: Viewer, id: string): Promise<Job>;
  list(
    viewer: Viewer,
    filter: { readonly types?: readonly string[]; readonly workflowId?: string },
    page: Page,
  ): Promise<{ readonly total: number; readonly items: readonly Job[] }>;
  logs(id: string, after?: string): Promise<readonly LogLine[]>;
  log(id: string, level: string, text: string): Promise<void>;
  /** Cancels a job: immediately if it is queued, otherwise when its holder notices. Ended and deleted jobs are not changed. */
  cancel(id: string): Promise<void>;
  /** Waits until the job has ended, for a limited time. Resolves with whether it has. */
  stopped(id: string, withinMs: number): Promise<boolean>;

  /** Claims the oldest free job for one of these computes, by default for all. Jobs whose lease has expired are free too. */
  claim(computes?: readonly string[]): Promise<Claim | undefined>;
  /** The current state of a claimed job, whichever process holds it. Throws a ConflictError if the lease is lost. */
  held(id: string, epoch: number): Promise<Claim>;
  /** Marks the work as started, unless it already is. Its time limit starts. */
  begin(claim: Claim): Promise<void>;
  /** Starts the time limit again, because rows were answered. */
  progressed(claim: Claim): Promise<void>;
  /** Stores the reason why the work has not started. */
  explainWait(claim: Claim, reason: string): Promise<void>;
  /** Puts a job back into the queue because its compute is unavailable. Other jobs that wait for it get the same reason. */
  postpone(claim: Claim, reason: string): Promise<void>;
  /** Puts a job back into the queue for some seconds, for example because a budget is spent. Throws a ConflictError if the lease is lost. */
  pause(claim: Claim, reason: string, seconds: number): Promise<void>;
  /** Renews the lease. Resolves with `late` if the time limit has expired. */
  renew(claim: Claim): Promise<'held' | 'lost' | 'cancelled' | 'late'>;
  /** Writes the results of a batch and the checkpoint in one transaction. Throws a ConflictError if the lease is lost. */
  commit(claim: Claim, firstRow: number, outcome: BatchOutcome, checkpoint: Json): Promise<void>;
  /** Replaces failed rows by new results. Throws a ConflictError if the lease is lost. */
  replace(claim: Claim, rows: ReplacedRows, checkpoint: Json): Promise<void>;
  /** Puts an ended job back into the queue. Throws a ConflictError if it has not ended. */
  retry(db: Kysely<Schema>, job: Job, retry: JobRetry): Promise<void>;
  end(
    claim: Claim,
    how:
      | { readonly status: 'succeeded'; readonly result: WorkResult }
      | { readonly status: 'failed' | 'stopped'; readonly error: string },
  ): Promise<void>;
  /** Counts a worker that ended before its job. Resolves with the number of such workers since the last batch was written. */
  workerFailed(claim: Claim): Promise<number>;
  /** Gives up the lease, so that another process can continue. */
  release(claim: Claim): Promise<void>;
}

/** A place where workers run. */
export interface Compute {
  readonly name: string;
  /** Runs a worker for a claimed job. Resolves when no process of it is running any more, however it ended. */
  run(assignment: Assignment, progress: ComputeProgress, signal: AbortSignal): Promise<ComputeEnd>;
  close(): Promise<void>;
}

export interface ComputeProgress {
  /** Called when a worker is running. */
  readonly started: () => Promise<void>;
  /** Called when the compute has accepted the job, but no worker is running yet. */
  readonly waiting: (reason: string) => Promise<void>;
}

export type ComputeEnd = WorkerEnded | ComputeUnavailable | ComputeRefusal;

/** How a worker ended. The database has the state of the job. */
export interface WorkerEnded {
  readonly kind: 'ended';
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
interface Assignment {
  readonly jobId: string;
  readonly epoch: number;
  /** URL of the gateway that holds the lease. */
  readonly gatewayUrl: string;
  /** Valid for this job only, while the lease is held. */
  readonly token: string;
}
