import { AppError } from '../../../../contract/errors.ts';
import { readBearerToken } from '../../../../serve/program/bearer-token.ts';
import type { HeaderReader, Users, WorkPayer } from '../../accounts/identity/identity.ts';
import { refused, tokenOf } from '../../accounts/identity/credentials.ts';
import type { Claim, JobQueue } from './job.ts';
import { payerOf, servedModels, WORKFLOWS_USER } from './standing.ts';
import { isWorkerToken, type WorkerTokens } from './worker-tokens.ts';

/** Identifies the job that a request of a worker belongs to, from its credential. */
export interface WorkerAccess {
  /** Throws an UnauthorizedError for any other credential, a ConflictError if the lease is lost. */
  claim(headers: HeaderReader): Promise<WorkerClaim>;
  /** Creates the user that jobs of the master key are billed to, if it is missing. */
  openAccount(claim: Claim): Promise<void>;
  /** The payer of a job's model calls, and the models that it can call; undefined, without waiting, for any other credential. */
  payer(headers: HeaderReader): Promise<WorkPayer> | undefined;
}

/** The claim of the gateway that has started a worker, and the id of the worker. */
interface WorkerClaim extends Claim {
  readonly worker: string;
}

interface AccessParts {
  readonly queue: Pick<JobQueue, 'held'>;
  readonly tokens: WorkerTokens;
  readonly users: Users;
  /** The name that permissions for a model have; undefined for an unknown model. */
  readonly permissionOf: (model: string) => string | undefined;
}

export function createWorkerAccess({ queue, tokens, users, permissionOf }: AccessParts): WorkerAccess {
  const claimOf = async (token: string): Promise<WorkerClaim> => {
    const lease = await tokens.read(token);
    if (!lease) throw refused('Invalid worker token', 'invalid_key');
    return { ...(await queue.held(lease.jobId, lease.epoch)), worker: lease.worker };
  };
  // The users of a cluster can read the tokens of its jobs, so a token calls the models of its job only.
  const payerIn = async (token: string): Promise<WorkPayer> => {
    const { job } = await claimOf(token);
    return { ...payerOf(job), models: servedModels(job.spec).map((model) => permissionOf(model) ?? model) };
  };
  return {
    claim: async (headers) => await claimOf(tokenOf(headers)),
    async openAccount({ job }) {
      if (job.owner !== null) return;
      await users
        .create({ userId: WORKFLOWS_USER, alias: 'Workflows of the master key' })
        .catch(ignoreExisting);
    },
    payer(headers) {
      const token = readBearerToken(headers.get('x-gateway-key') || headers.get('authorization'));
      return token !== undefined && isWorkerToken(token) ? payerIn(token) : undefined;
    },
  };
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'ConflictError')) throw error;
}
