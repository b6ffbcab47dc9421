import { AppError } from '#contract/errors.ts';
import type { Identity, WorkPayer } from '../../accounts/identity/identity.ts';
import type { WorkSpec } from '../work/work.ts';
import type { Job } from './job.ts';

/** Whether work can continue on behalf of its payers. */
export interface Standing {
  /**
   * Throws the error that a request would get: its key was deleted, disabled or has expired, its user or team
   * is blocked, or a model is no longer allowed. Work of the master key can always continue.
   */
  require(work: Pick<Job, 'owner' | 'teamId' | 'keyId' | 'spec'>): Promise<void>;
}

interface StandingParts {
  readonly identity: Pick<Identity, 'spender' | 'requireModel'>;
  /** The name that model permissions refer to, e.g. an alias; undefined for an unknown model. */
  readonly permissionOf: (model: string) => string | undefined;
}

export function createStanding({ identity, permissionOf }: StandingParts): Standing {
  return {
    async require(work) {
      if (work.owner === null) return;
      const spender = await identity.spender(payerOfJob({ ...work, id: '' }), undefined);
      for (const model of servedModels(work.spec)) {
        const name = permissionOf(model);
        if (name !== undefined) identity.requireModel(spender, name);
      }
    },
  };
}

/** The user that the master key's jobs are billed to. */
export const WORKFLOWS_USER = 'workflows';

export const payingUser = ({ owner }: Pick<Job, 'owner'>): string => owner?.userId ?? WORKFLOWS_USER;

/** The payer for a job's requests. */
export const payerOfJob = (job: Pick<Job, 'owner' | 'teamId' | 'keyId' | 'id'>): WorkPayer => ({
  kind: 'work',
  userId: payingUser(job),
  teamId: job.teamId,
  keyId: job.keyId,
  jobId: job.id,
});

/** The gateway models that the work calls. */
export function servedModels(spec: WorkSpec): readonly string[] {
  const backends =
    spec.type === 'evaluation' ? [spec.judge?.backend, spec.embedder?.backend] : [spec.backend];
  return backends.flatMap((backend) => (backend?.kind === 'gateway' ? [backend.model] : []));
}

/** Why work ends and cannot continue; undefined for a temporary error, e.g. from the database. */
export function endOfStanding(error: unknown): string | undefined {
  if (!(error instanceof AppError) || !FINAL.has(error.code)) return undefined;
  return `Stopped: ${error.message.replace(/\.?$/, '.')} Retry with a key that has permission.`;
}

const FINAL: ReadonlySet<AppError['code']> = new Set([
  'UnauthorizedError',
  'ForbiddenError',
  'NotFoundError',
]);
