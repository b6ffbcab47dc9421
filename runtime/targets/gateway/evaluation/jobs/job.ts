import type { Kysely } from 'kysely';
import type { Nanos } from '../../shared/money.ts';
import type { ListPage } from '../../store/page.ts';
import type { Schema } from '../../store/schema.ts';
import type { BatchOutcome, WorkResult, WorkSpec } from '../work/work.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { JobStatus } from '../../store/workflow-schema.ts';
import type { Owner, Viewer } from '../../shared/owner.ts';

export interface Job {
  readonly id: string;
  readonly workflowId: string | null;
  readonly name: string;
  readonly description: string;
  readonly status: JobStatus;
  readonly spec: WorkSpec;
  readonly datasetId: string;
  /** The dataset or score table that the job writes. */
  readonly outputId: string | null;
  readonly totalRows: number;
  readonly doneRows: number;
  readonly failedRows: number;
  readonly result: WorkResult | null;
  readonly error: string | null;
  /** Why the job is waiting, e.g. because a cluster is unreachable; null if it only waits for a free slot. */
  readonly queuedReason: string | null;
  /** Number of workers that share the job; 0 before it starts. */
  readonly workers: number;
  readonly compute: string;
  /** Time limit in seconds, counted from the last progress. */
  readonly timeoutSec: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cost: Nanos;
  readonly owner: Owner | null;
  /** The team that is billed in addition to the owner. */
  readonly teamId: string | null;
  /** The key that started it. The key's limits and status apply until the job has ended. Null for the master key. */
  readonly keyId: string | null;
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
  readonly owner: Owner | null;
  readonly teamId: string | null;
  readonly keyId: string | null;
}

/**
 * A job held by this process until the lease expires. Writes are rejected if another process has taken it
 * over by then.
 */
export interface Claim {
  readonly job: Job;
  readonly epoch: number;
  /** Whether the job was cancelled before it was claimed. */
  readonly isCancelled: boolean;
}

/**
 * A job's consecutive rows, held by one worker until the lease expires. Writes are rejected if another worker
 * has taken them over by then.
 */
export interface RangeLease {
  readonly worker: string;
  readonly firstRow: number;
  readonly epoch: number;
}

export interface LeasedRange extends RangeLease {
  readonly rowCount: number;
  /** The next row to process. */
  readonly nextRow: number;
  /** During a retry: the row from which failed rows are still to be processed again. Null when none are left. */
  readonly retryRow: number | null;
  readonly checkpoint: Json | null;
  /**
   * The checkpoints of all ranges; set only for the last range, which has no rows: its worker ends the job.
   * Otherwise null.
   */
  readonly checkpoints: readonly Json[] | null;
}

/** How often workers ended before the job did. */
interface WorkerFailures {
  /** Counted since the last batch of their range was written or, without a range, since the job's last batch. */
  readonly times: number;
  /** The row at which they ended; null if they held no rows. */
  readonly row: number | null;
}

/** New results for failed rows. */
interface ReplacedRows {
  /** First row in the batch. It must equal the range's `retryRow`. */
  readonly from: number;
  /** Row at which the retry continues; null if no failed rows are left. */
  readonly next: number | null;
  /** Row numbers (0-based), ascending. */
  readonly numbers: readonly number[];
  readonly outcome: BatchOutcome;
}

/** Changes to an ended job that is put back into the queue. */
interface JobRetry {
  readonly spec: WorkSpec;
  readonly timeoutSec: number;
  readonly compute: string;
  readonly outputId: string | null;
  /** The key that pays from now on. */
  readonly keyId: string | null;
  /** Whether to keep stored rows; otherwise, the job restarts at its first row. */
  readonly resumes: boolean;
}

export interface JobLogLine {
  readonly id: string;
  readonly at: number;
  readonly level: string;
  readonly text: string;
}

/**
 * The job queue in the database. Working on a job requires a lease, and if a process ends, another one can
 * continue.
 */
export interface JobQueue {
  create(db: Kysely<Schema>, job: NewJob): Promise<Job>;
  /** Reads a job. Throws a NotFoundError if it does not exist or is not visible. */
  get(viewer: Viewer, id: string): Promise<Job>;
  list(
    viewer: Viewer,
    filter: { readonly types?: readonly string[]; readonly workflowId?: string },
    page: ListPage,
  ): Promise<{ readonly total: number; readonly items: readonly Job[] }>;
  logs(id: string, after?: string): Promise<readonly JobLogLine[]>;
  log(id: string, level: string, text: string): Promise<void>;
  /**
   * Cancels a job: immediately if it is queued, otherwise when its holder notices. Ended and deleted jobs are
   * not affected.
   */
  cancel(id: string): Promise<void>;
  /** Waits for a limited time until the job has ended. Resolves with whether it has. */
  stopped(id: string, withinMs: number): Promise<boolean>;

  /**
   * Claims the oldest free job for one of these computes, or for any of them by default. Jobs with an expired
   * lease are free, too.
   */
  claim(computes?: readonly string[]): Promise<Claim | undefined>;
  /** A claimed job's current state, whichever process holds it. Throws a ConflictError if the lease is lost. */
  held(id: string, epoch: number): Promise<Claim>;
  /** Marks the work as started, unless it already is. This starts its time limit. */
  begin(claim: Claim): Promise<void>;
  /** Restarts the time limit, because rows were completed. */
  progressed(claim: Claim): Promise<void>;
  /** Stores why the work has not started or cannot be observed; null if it can. */
  explainWait(claim: Claim, reason: string | null): Promise<void>;
  /**
   * Puts a job back into the queue because its compute is unavailable. Other jobs waiting for the same
   * compute get the same reason.
   */
  postpone(claim: Claim, reason: string): Promise<void>;
  /**
   * Puts a job back into the queue for some time, for example because a budget is exhausted. Throws a
   * ConflictError if the lease is lost.
   */
  pause(claim: Claim, reason: string, seconds: number): Promise<void>;
  /** Renews the lease. Resolves with `late` if the time limit has expired. */
  renew(claim: Claim): Promise<'held' | 'lost' | 'cancelled' | 'ended' | 'late'>;
  /** Stores the number of workers, which determines how many rows a range has. */
  divide(claim: Claim, workers: number): Promise<void>;
  /** The number of workers for which enough rows remain. */
  possibleWorkers(claim: Claim): Promise<number>;
  /** Leases rows to a worker. Resolves with undefined if other workers hold all remaining rows. */
  lease(claim: Claim, worker: string): Promise<LeasedRange | undefined>;
  /** Renews the lease on rows. Throws a ConflictError if it is lost. */
  renewRange(claim: Claim, lease: RangeLease): Promise<void>;
  /**
   * Writes a batch's results and the checkpoint in one transaction, exactly once. Resolves with the number of
   * failed rows in the job that are not waiting for a retry. Throws a ConflictError if the lease is lost.
   */
  commit(
    claim: Claim,
    lease: RangeLease,
    firstRow: number,
    outcome: BatchOutcome,
    checkpoint: Json,
  ): Promise<number>;
  /** Replaces failed rows with new results, like `commit`. */
  replace(claim: Claim, lease: RangeLease, rows: ReplacedRows, checkpoint: Json): Promise<number>;
  /** Ends the leases of a worker that has ended, and counts it if it failed. */
  workerEnded(claim: Claim, worker: string, hasFailed: boolean): Promise<WorkerFailures>;
  /** Puts an ended job back into the queue. Throws a ConflictError if it has not ended. */
  retry(db: Kysely<Schema>, job: Job, retry: JobRetry): Promise<void>;
  /** Ends a job. Throws a ConflictError if its lease, or the given lease on rows, is lost. */
  end(
    claim: Claim,
    how:
      | { readonly status: 'succeeded'; readonly result: WorkResult }
      | { readonly status: 'failed' | 'stopped'; readonly error: string },
    range?: RangeLease,
  ): Promise<void>;
  /** Releases the lease, so that another process can continue. */
  release(claim: Claim): Promise<void>;
}
