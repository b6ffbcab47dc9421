import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Store } from '../../store/store.ts';
import { signingKey } from '../../store/signing-key.ts';

/** What lets a worker in: for one job, as long as the lease that it was started under holds. */
export interface WorkerTokens {
  sign(lease: WorkerLease): Promise<string>;
  /** Undefined if it was not signed here. Whether the lease holds is for the queue to say. */
  read(token: string): Promise<WorkerLease | undefined>;
}

interface WorkerLease {
  readonly jobId: string;
  readonly epoch: number;
}

/** No key of the gateway begins like that. */
const PREFIX = 'gwjob-';
const TOKEN = /^gwjob-([0-9a-f-]{36})\.(\d{1,15})\.([\w-]{43})$/;

export const isWorkerToken = (token: string): boolean => token.startsWith(PREFIX);

export function createWorkerTokens({ db }: Pick<Store, 'db'>): WorkerTokens {
  let known: Promise<Uint8Array> | undefined;
  const signature = async ({ jobId, epoch }: WorkerLease): Promise<Buffer> =>
    createHmac('sha256', await (known ??= signingKey(db, 'workers')))
      .update(`${jobId}\n${epoch}`)
      .digest();
  return {
    sign: async (lease) =>
      `${PREFIX}${lease.jobId}.${lease.epoch}.${(await signature(lease)).toString('base64url')}`,
    async read(token) {
      const [, jobId, epoch, given] = TOKEN.exec(token) ?? [];
      if (jobId === undefined || given === undefined) return undefined;
      const lease = { jobId, epoch: Number(epoch) };
      const [signed, right] = [Buffer.from(given, 'base64url'), await signature(lease)];
      return signed.length === right.length && timingSafeEqual(signed, right) ? lease : undefined;
    },
  };
}
