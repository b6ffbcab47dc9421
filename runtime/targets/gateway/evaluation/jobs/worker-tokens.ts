import { createHmac, timingSafeEqual } from 'node:crypto';
import { WORKER_PREFIX } from '../../accounts/identity/credentials.ts';
import type { Store } from '../../store/store.ts';
import { signingKey } from '../../store/signing-key.ts';

/** Worker credentials. A token is valid for one job, while the lease that the worker was started with is held. */
export interface WorkerTokens {
  sign(lease: WorkerLease): Promise<string>;
  /** Parses a token; undefined if its signature is invalid. The queue checks whether the lease is still held. */
  read(token: string): Promise<WorkerLease | undefined>;
}

interface WorkerLease {
  readonly jobId: string;
  readonly epoch: number;
  /** The worker's ID, which is the holder of its ranges. */
  readonly worker: string;
}

const TOKEN = /^gwjob-([0-9a-f-]{36})\.(\d{1,15})\.([0-9a-f-]{36})\.([\w-]{43})$/;

export function createWorkerTokens({ db }: Pick<Store, 'db'>): WorkerTokens {
  let known: Promise<Uint8Array> | undefined;
  const signature = async ({ jobId, epoch, worker }: WorkerLease): Promise<Buffer> =>
    createHmac('sha256', await (known ??= signingKey(db, 'workers')))
      .update(`${jobId}\n${epoch}\n${worker}`)
      .digest();
  return {
    sign: async (lease) =>
      [
        `${WORKER_PREFIX}${lease.jobId}`,
        lease.epoch,
        lease.worker,
        (await signature(lease)).toString('base64url'),
      ].join('.'),
    async read(token) {
      const [, jobId, epoch, worker, encoded] = TOKEN.exec(token) ?? [];
      if (jobId === undefined || worker === undefined || encoded === undefined) return undefined;
      const lease = { jobId, epoch: Number(epoch), worker };
      const [received, expected] = [Buffer.from(encoded, 'base64url'), await signature(lease)];
      return received.length === expected.length && timingSafeEqual(received, expected) ? lease : undefined;
    },
  };
}
