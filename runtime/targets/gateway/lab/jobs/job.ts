import type { Kysely } from 'kysely';
import type { Nanos } from '../../shared/money.ts';
import type { Page } from '../../store/page.ts';
import type { Viewer } from '../datasets/dataset.ts';
import type { Schema } from '../../store/schema.ts';
import type { BatchOutcome, WorkResult, WorkSpec } from '../work/work.ts';
import type { Json } from '../../ask/shapes/chat.ts';

export type JobStatus = 'created' | 'pending' | 'running' | 'succeeded' | 'failed' | 'stopped';

export interface Job {
  readonly id: string;
  readonly workflowId: string | null;
  readonly name: string;
  readonly description: string;
  readonly status: JobStatus;
  readonly spec: WorkSpec;
  readonly datasetId: string;
  /** The dataset, or the table of scores, that it writes. */
  readonly outputId: string | null;
  readonly totalRows: number;
  readonly doneRows: number;
  readonly failedRows: number;
  /** In a retry: failed rows from this one on are asked about again. Null once all of them were. */
  readonly retryRow: number | null;
  readonly result: WorkResult | null;
  readonly error: string | null;
  /** Why it waits, e.g. for a cluster that cannot be reached; null while nothing but free slots is missing. */
  readonly queuedReason: string | null;
  readonly compute: string;
  /** From when the work begins. */
  readonly timeoutSec: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cost: Nanos;
  readonly owner: string | null;
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
}

/** A job that this process has, until its lease runs out. What is written for it is refused if somebody else has it by then. */
export interface Claim {
  readonly job: Job;
  readonly epoch: number;
  readonly checkpoint: Json | null;
  /** Null until the work has begun. */
  readonly deadlineAt: number | null;
  /** Somebody wanted it to stop before it was claimed. */
  readonly isCancelled: boolean;
}

/** New answers for rows that had failed. */
interface ReplacedRows {
  /** The `retryRow` of the job. */
  readonly from: number;
  /** Where the retry goes on; null if no failed row is left. */
  readonly next: number | null;
  /** From 0, ascending. */
  readonly numbers: readonly number[];
  readonly outcome: BatchOutcome;
}

/** A job that is over goes back into the queue. */
interface JobRetry {
  readonly spec: WorkSpec;
  readonly timeoutSec: number;
  readonly compute: string;
  readonly outputId: string | null;
  /** Whether stored rows are kept; else the job starts at its first row. */
  readonly resumes: boolean;
}

export interface LogLine {
  readonly id: string;
  readonly at: number;
  readonly level: string;
  readonly text: string;
}

/** Jobs in the database: whoever has a lease works on one, and nothing is lost with it. */
export interface JobQueue {
  create(db: Kysely<Schema>, job: NewJob): Promise<Job>;
  /** Throws a NotFoundError. */
  get(viewer: Viewer, id: string): Promise<Job>;
  list(
    viewer: Viewer,
    filter: { readonly types?: readonly string[]; readonly workflowId?: string },
    page: Page,
  ): Promise<{ readonly total: number; readonly items: readonly Job[] }>;
  logs(id: string, after?: string): Promise<readonly LogLine[]>;
  log(id: string, level: string, text: string): Promise<void>;
  /** Stops it: at once if nobody has it, else when whoever has it notices. One that is over, or deleted, stays as it is. */
  cancel(id: string): Promise<void>;
  /** Resolves when nobody works on it any more, or when the time is over. */
  stopped(id: string, withinMs: number): Promise<boolean>;

  /** The oldest job for one of these computes that nobody has, or whose holder gave no sign of life; all count unless named. */
  claim(computes?: readonly string[]): Promise<Claim | undefined>;
  /** What is held, as it is now, wherever whoever holds it runs. Throws a ConflictError if the lease is lost. */
  held(id: string, epoch: number): Promise<Claim>;
  /** The work begins, unless it has before: resolves with when its time is over. */
  begin(claim: Claim): Promise<number>;
  /** Shows why the work has not begun. */
  explainWait(claim: Claim, reason: string): Promise<void>;
  /** Back into the queue, because the compute cannot take jobs at the moment; others that wait for it show the reason, too. */
  postpone(claim: Claim, reason: string): Promise<void>;
  /** A sign of life. */
  renew(claim: Claim): Promise<'held' | 'lost' | 'cancelled'>;
  /** Writes what a batch came to, with where to go on: both or neither. Throws a ConflictError if the lease is lost. */
  commit(claim: Claim, firstRow: number, outcome: BatchOutcome, checkpoint: Json): Promise<void>;
  /** Writes new answers in place of failed rows. Throws a ConflictError if the lease is lost. */
  replace(claim: Claim, rows: ReplacedRows, checkpoint: Json): Promise<void>;
  /** Throws a ConflictError if the job is not over. */
  retry(db: Kysely<Schema>, job: Job, retry: JobRetry): Promise<void>;
  end(
    claim: Claim,
    how:
      | { readonly status: 'succeeded'; readonly result: WorkResult }
      | { readonly status: 'failed' | 'stopped'; readonly error: string },
  ): Promise<void>;
  /** Counts a worker that ended before the job did: resolves with how many have since the last batch was written. */
  workerFailed(claim: Claim): Promise<number>;
  /** Somebody else may go on. */
  release(claim: Claim): Promise<void>;
}

/** Where work runs. */
export interface Compute {
  readonly name: string;
  /** Starts the work on a job that is claimed; resolves when nothing of it runs any more, however it ended. */
  run(assignment: Assignment, progress: ComputeProgress, signal: AbortSignal): Promise<ComputeEnd>;
  close(): Promise<void>;
}

export interface ComputeProgress {
  /** A worker runs from now on. */
  readonly started: () => Promise<void>;
  /** The compute has taken the job, but no worker runs yet. */
  readonly waiting: (reason: string) => Promise<void>;
}

export type ComputeEnd = WorkerEnded | ComputeUnavailable | ComputeRefusal;

/** How a worker ended. Whether the job did is in the database. */
export interface WorkerEnded {
  readonly kind: 'ended';
  /** As `exit code 1`. */
  readonly how: string;
  /** The last lines that it said beside its log. */
  readonly lines: readonly string[];
}

/** No worker runs, and a later try can succeed: the job stays queued. */
export interface ComputeUnavailable {
  readonly kind: 'unavailable';
  readonly reason: string;
}

/** The compute will never run this job. */
interface ComputeRefusal {
  readonly kind: 'refused';
  readonly reason: string;
}

/** All that a program on another machine has to know. */
interface Assignment {
  readonly jobId: string;
  readonly epoch: number;
  /** Of the gateway that has the lease. */
  readonly gatewayUrl: string;
  /** Good for this job only, while the lease holds. */
  readonly token: string;
}
