import type { Kysely } from 'kysely';
import type { Clock } from '#platform/clock.ts';
import { type Artifacts, createArtifacts } from '../artifacts.ts';
import type { Datasets } from '../datasets/dataset.ts';
import { createDatasets } from '../datasets/datasets.ts';
import type { ResumableUploads } from '../datasets/resumable/resumable-upload.ts';
import { createResumableUploads } from '../datasets/resumable/resumable-uploads.ts';
import type { Identity } from '../../accounts/identity/identity.ts';
import { type WorkerProgress, workerProgress } from '../worker-progress.ts';
import { createSecrets, type Secrets } from '../secrets.ts';
import type { Store } from '../../store/store.ts';
import type { Schema } from '../../store/schema.ts';
import type { Job, JobQueue, Claim } from './job.ts';
import { createJobFiles, type JobFiles, type JobFilesParts } from './files/job-files.ts';
import { createJobQueue } from './queue.ts';
import { createStanding, type Standing, endOfStanding } from './standing.ts';
import { createWorkerAccess, type WorkerAccess } from './worker-access.ts';
import { createWorkerTokens, type WorkerTokens } from './worker-tokens.ts';
import type { Owner } from '../../shared/owner.ts';
import { AppError } from '#contract/errors.ts';
import { leaseLost } from './lease.ts';

/** The services that jobs need, for one database. */
export interface JobServices {
  readonly queue: JobQueue;
  readonly datasets: Datasets;
  readonly uploads: ResumableUploads;
  readonly secrets: Secrets;
  readonly artifacts: Artifacts;
  readonly tokens: WorkerTokens;
  readonly access: WorkerAccess;
  readonly files: JobFiles;
  /** The rows that these jobs' workers are currently processing. */
  readonly workerProgress: (jobIds: readonly string[]) => Promise<readonly WorkerProgress[]>;
  readonly standing: Standing;
  /** Whether this owner's jobs are allowed to use files, loopback and private addresses. */
  readonly trusts: (owner: Owner | null) => boolean;
}

export interface JobServicesOptions extends Pick<JobFilesParts, 'program' | 'encoderPath'> {
  readonly clock: Clock;
  readonly masterKey: string | undefined;
  readonly identity: Identity;
  /** Maximum size of an upload. */
  readonly maxDatasetBytes: number;
  /** Whether users' jobs have the same permissions as jobs of the master key. */
  readonly trustUsers: boolean;
  /** The name that model permissions refer to, e.g. an alias; undefined for an unknown model. */
  readonly permissionOf: (model: string) => string | undefined;
  readonly onEnded: (db: Kysely<Schema>, job: Job) => Promise<void>;
}

export function createJobServices(store: Store, options: JobServicesOptions): JobServices {
  const { clock, masterKey, identity, maxDatasetBytes, trustUsers, onEnded, program, encoderPath } = options;
  const standing = createStanding({ identity, permissionOf: options.permissionOf });
  const queue = createStandingQueue(createJobQueue(store, { clock, onEnded }), standing);
  const tokens = createWorkerTokens(store);
  const trusts = (owner: Owner | null): boolean => owner === null || trustUsers;
  const datasets = createDatasets(store, { clock, maxBytes: maxDatasetBytes });
  return {
    queue,
    standing,
    datasets,
    uploads: createResumableUploads(store, { clock, datasets, maxBytes: maxDatasetBytes }),
    secrets: createSecrets(store, { clock, masterKey }),
    artifacts: createArtifacts(store, clock),
    tokens,
    access: createWorkerAccess({
      queue,
      tokens,
      users: identity.users,
      clock,
      permissionOf: options.permissionOf,
    }),
    files: createJobFiles({ db: store.db, program, trusts, encoderPath }),
    trusts,
    workerProgress: (jobIds) => workerProgress(store, jobIds),
  };
}

/**
 * A queue that ends jobs whose key no longer allows them: when they are claimed, at each renewal of their
 * lease, and at each worker request. It therefore does not matter on which machine and in which program their
 * workers run.
 */
function createStandingQueue(queue: JobQueue, standing: Standing): JobQueue {
  /** Ends the job if it is not allowed to continue. Resolves with whether it continues. */
  const goesOn = async (claim: Claim): Promise<boolean> => {
    const { job } = claim;
    try {
      await standing.require(job);
      return true;
    } catch (thrown) {
      const error = endOfStanding(thrown);
      if (error === undefined) throw thrown;
      await queue.log(job.id, 'error', error);
      await queue.end(claim, { status: 'stopped', error }).catch(ignoreEnded);
      return false;
    }
  };
  return {
    ...queue,
    async claim(computes) {
      for (;;) {
        const claim = await queue.claim(computes);
        if (!claim || (await goesOn(claim))) return claim;
      }
    },
    async held(id, epoch) {
      const claim = await queue.held(id, epoch);
      if (await goesOn(claim)) return claim;
      throw leaseLost(id);
    },
    renew: async (claim) => ((await goesOn(claim)) ? await queue.renew(claim) : 'ended'),
  };
}

/** Another of the job's requests may end it at the same time. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof AppError && error.reason === 'lease_lost')) throw error;
}
