import { AppError } from '../../../../contract/errors.ts';
import { readBearerToken } from '../../../../serve/program/bearer-token.ts';
import type { HeaderReader, Users, WorkPayer } from '../../accounts/identity/identity.ts';
import { refused, tokenOf } from '../../accounts/identity/credentials.ts';
import type { Claim, Job, JobQueue } from './job.ts';
import { isWorkerToken, type WorkerTokens } from './worker-tokens.ts';

/** Whose work a request is part of, as told by its credential. */
export interface WorkerAccess {
  /** Throws an UnauthorizedError for any other credential, a ConflictError if the lease is lost. */
  claim(headers: HeaderReader): Promise<Claim>;
  /** Makes sure that there is somebody on whose account the work can ask models. */
  openAccount(claim: Claim): Promise<void>;
  /** On whose account the work asks models; undefined, at once, for any other credential. */
  payer(headers: HeaderReader): Promise<WorkPayer> | undefined;
}

interface AccessParts {
  readonly queue: Pick<JobQueue, 'held'>;
  readonly tokens: WorkerTokens;
  readonly users: Users;
}

/** Pays for work that belongs to nobody but the master key. */
const NOBODYS_USER = 'workflows';

export const payingUser = ({ owner }: Pick<Job, 'owner'>): string => owner ?? NOBODYS_USER;

export function createWorkerAccess({ queue, tokens, users }: AccessParts): WorkerAccess {
  const claimOf = async (token: string): Promise<Claim> => {
    const lease = await tokens.read(token);
    if (!lease) throw refused('Invalid worker token', 'invalid_key');
    return await queue.held(lease.jobId, lease.epoch);
  };
  const payerOf = async (token: string): Promise<WorkPayer> => {
    const { job } = await claimOf(token);
    return { kind: 'work', userId: payingUser(job), jobId: job.id };
  };
  return {
    claim: async (headers) => await claimOf(tokenOf(headers)),
    async openAccount({ job }) {
      if (job.owner !== null) return;
      await users.create({ userId: NOBODYS_USER, alias: 'Workflows of the master key' }).catch(existed);
    },
    payer(headers) {
      const token = readBearerToken(headers.get('x-gateway-key') || headers.get('authorization'));
      return token !== undefined && isWorkerToken(token) ? payerOf(token) : undefined;
    },
  };
}

function existed(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'ConflictError')) throw error;
}
