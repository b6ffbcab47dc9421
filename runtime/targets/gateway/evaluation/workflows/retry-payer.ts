import { AppError } from '#contract/errors.ts';
import type { Viewer } from '../../shared/owner.ts';
import type { Job } from '../jobs/job.ts';
import type { JobServices } from '../jobs/job-services.ts';
import type { WorkSpec } from '../work/work.ts';

/** The caller who retries work. */
export interface RetryCaller {
  readonly viewer: Viewer;
  readonly teamId: string | null;
  /** Null for the master key. */
  readonly keyId: string | null;
}

interface Retried extends Pick<Job, 'owner' | 'teamId' | 'keyId'> {
  /** For messages, e.g. `Job 1`. */
  readonly name: string;
  readonly specs: readonly WorkSpec[];
}

/**
 * The key that pays for a retry: the caller's key, which must belong to the team that the work is billed to;
 * for the master key, the key that originally started the work. Throws if that key cannot start the work now.
 */
export async function payerOfRetry(
  { name, specs, ...work }: Retried,
  caller: RetryCaller,
  { standing }: Pick<JobServices, 'standing'>,
): Promise<string | null> {
  const { owner, teamId } = work;
  if (caller.keyId !== null && caller.teamId !== teamId) throw otherTeam(name, teamId);
  const keyId = caller.keyId ?? work.keyId;
  for (const spec of specs) await standing.require({ owner, teamId, keyId, spec });
  return keyId;
}

const otherTeam = (name: string, teamId: string | null): AppError =>
  new AppError(
    'ForbiddenError',
    teamId === null
      ? `${name} is not billed to a team. Retry it with a key that does not belong to a team.`
      : `${name} is billed to team '${teamId}'. Retry it with one of the team’s keys.`,
    { reason: 'other_team' },
  );
