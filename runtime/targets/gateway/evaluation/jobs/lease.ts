import type { Kysely } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Schema } from '../../store/schema.ts';
import type { JobRow } from '../../store/workflow-schema.ts';
import { randomUUID } from 'node:crypto';
import { machineName, canBeRunning } from '../../store/machine.ts';

/** Lease duration. A job or range whose lease is not renewed within this time can be taken over. */
export const LEASE_MS = 15_000;

/** Column values of a job or range without a lease. */
export const NO_LEASE = { lease_owner: null, lease_until: null } as const;

/** A claimed job's row. Throws a ConflictError if the lease is lost. */
export async function heldRow(db: Kysely<Schema>, id: string, epoch: number): Promise<JobRow> {
  const row = await db
    .selectFrom('gateway_jobs')
    .selectAll()
    .where('id', '=', id)
    .where('lease_epoch', '=', epoch)
    .where('lease_owner', 'is not', null)
    .executeTakeFirst();
  if (row) return row;
  throw leaseLost(id);
}

export const leaseLost = (id: string): AppError =>
  new AppError('ConflictError', `Job ${id} has finished or was taken over by another worker.`, {
    reason: 'lease_lost',
  });

/** The process holding a job. */
export interface Holder {
  readonly name: string;
  /** Whether a holder has ended. Only known for processes on this machine; false for all others. */
  readonly isGone: (name: string) => boolean;
}

export function createHolder(): Holder {
  const machine = machineName();
  const name = [machine, process.pid, randomUUID()].join('\t');
  return {
    name,
    isGone(other) {
      const [itsMachine, pid] = other.split('\t');
      return itsMachine === machine && Number(pid) !== process.pid && !canBeRunning(Number(pid));
    },
  };
}
