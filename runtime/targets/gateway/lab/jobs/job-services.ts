import type { Kysely } from 'kysely';
import type { Clock } from '../../../../platform/clock.ts';
import { type Artifacts, createArtifacts } from '../artifacts/artifacts.ts';
import type { Datasets } from '../datasets/dataset.ts';
import { createDatasets } from '../datasets/datasets.ts';
import type { Identity } from '../../accounts/identity/identity.ts';
import { type WorkerProgress, workerProgress } from '../progress/worker-progress.ts';
import { createSecrets, type Secrets } from '../secrets/secrets.ts';
import type { Store } from '../../store/store.ts';
import type { Schema } from '../../store/schema.ts';
import type { Job, JobQueue } from './job.ts';
import { createJobQueue } from './queue.ts';
import { createWorkerAccess, type WorkerAccess } from './worker-access.ts';
import { createWorkerTokens, type WorkerTokens } from './worker-tokens.ts';

/** The services that jobs need, on one database. */
export interface JobServices {
  readonly queue: JobQueue;
  readonly datasets: Datasets;
  readonly secrets: Secrets;
  readonly artifacts: Artifacts;
  readonly tokens: WorkerTokens;
  readonly access: WorkerAccess;
  /** The rows that workers of these jobs process at the moment. */
  readonly workerProgress: (jobIds: readonly string[]) => Promise<readonly WorkerProgress[]>;
  /** Whether jobs of this owner are allowed to use files, and addresses of this machine and of private networks. */
  readonly trusts: (owner: string | null) => boolean;
}

export interface JobServicesOptions {
  readonly clock: Clock;
  readonly masterKey: string | undefined;
  readonly identity: Identity;
  /** Maximum size of an upload. */
  readonly maxDatasetBytes: number;
  /** Whether jobs of users have the same permissions as jobs of the master key. */
  readonly trustUsers: boolean;
  readonly onEnded: (db: Kysely<Schema>, job: Job) => Promise<void>;
}

export function createJobServices(store: Store, options: JobServicesOptions): JobServices {
  const { clock, masterKey, identity, maxDatasetBytes, trustUsers, onEnded } = options;
  const queue = createJobQueue(store, { clock, onEnded });
  const tokens = createWorkerTokens(store);
  return {
    queue,
    datasets: createDatasets(store, { clock, maxBytes: maxDatasetBytes }),
    secrets: createSecrets(store, { clock, masterKey }),
    artifacts: createArtifacts(store, clock),
    tokens,
    access: createWorkerAccess({ queue, tokens, users: identity.users }),
    workerProgress: (jobIds) => workerProgress(store, jobIds),
    trusts: (owner) => owner === null || trustUsers,
  };
}
