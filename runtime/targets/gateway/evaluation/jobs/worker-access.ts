import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { HeaderReader, Users, WorkPayer } from '../../accounts/identity/identity.ts';
import { refused, tokenOf, hashOf } from '../../accounts/identity/credentials.ts';
import type { Claim, Job, JobQueue } from './job.ts';
import { payerOfJob, servedModels, WORKFLOWS_USER } from './standing.ts';
import type { WorkerTokens } from './worker-tokens.ts';
import type { Backend, WorkSpec } from '../work/work.ts';

/** Identifies a worker request's job from its credential. */
export interface WorkerAccess {
  /** Throws an UnauthorizedError for any other credential, and a ConflictError if the lease is lost. */
  claim(headers: HeaderReader): Promise<WorkerClaim>;
  /** Creates the user that the master key's jobs are billed to, if missing. */
  openAccount(claim: Claim): Promise<void>;
  /** The payer for the model calls of a worker's job, and the models that it can call. */
  payer(token: string): Promise<WorkPayer>;
}

/** The claim of the gateway that started a worker, and the worker's ID. */
export interface WorkerClaim extends Claim {
  readonly worker: string;
}

/**
 * How long a worker's job is cached for model calls: a worker that has lost its job can start requests for
 * this long. Key, user, team and model are checked for each request.
 */
const REMEMBERED_MS = 250;
/** Maximum number of cached jobs. A full cache is cleared. */
const MAX_REMEMBERED = 10_000;

interface AccessParts {
  readonly queue: Pick<JobQueue, 'held'>;
  readonly tokens: WorkerTokens;
  readonly users: Users;
  /** The name that model permissions refer to; undefined for an unknown model. */
  readonly permissionOf: (model: string) => string | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

export function createWorkerAccess(parts: AccessParts): WorkerAccess {
  const { queue, tokens, users, permissionOf, clock } = parts;
  const claimOf = async (token: string): Promise<WorkerClaim> => {
    const lease = await tokens.read(token);
    if (!lease) throw refused('Invalid worker token', 'invalid_key');
    return { ...(await queue.held(lease.jobId, lease.epoch)), worker: lease.worker };
  };
  const remembered = new Map<string, { readonly job: Promise<Job>; readonly until: number }>();
  const rememberedJob = (token: string): Promise<Job> => {
    const now = clock.now();
    const hash = hashOf(token);
    const known = remembered.get(hash);
    if (known && known.until > now) return known.job;
    const found = claimOf(token).then(({ job }) => job);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(hash, { job: found, until: now + REMEMBERED_MS });
    found.catch(() => remembered.delete(hash));
    return found;
  };
  // A cluster's users can read its jobs' tokens, so a token can only call its own job's models.
  const payerIn = async (token: string): Promise<WorkPayer> => {
    const job = await rememberedJob(token);
    return {
      ...payerOfJob(job),
      models: servedModels(job.spec).map((model) => permissionOf(model) ?? model),
    };
  };
  return {
    claim: async (headers) => await claimOf(tokenOf(headers)),
    async openAccount({ job }) {
      if (job.owner !== null) return;
      await users
        .create({ userId: WORKFLOWS_USER, alias: 'Workflows of the master key' })
        .catch(ignoreExisting);
    },
    payer: payerIn,
  };
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'ConflictError')) throw error;
}

/** Names of the secrets that a job needs. */
export function secretsOfJob(spec: WorkSpec): readonly string[] {
  const backends =
    spec.type === 'evaluation' ? [spec.judge?.backend, spec.embedder?.backend] : [spec.backend];
  return backends.map(secretOf).filter((name) => name !== null);
}

const secretOf = (backend: Backend | undefined): string | null =>
  backend && 'secretName' in backend ? backend.secretName : null;
