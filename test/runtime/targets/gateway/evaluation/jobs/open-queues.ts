import type { RowCells } from '#gateway/evaluation/datasets/dataset.ts';
import type { Claim, Job, LeasedRange, NewJob } from '#gateway/evaluation/jobs/job.ts';
import { createJobQueue } from '#gateway/evaluation/jobs/queue.ts';
import type { Store } from '#gateway/store/store.ts';
import type { TestDatabase } from '../../databases.ts';
import { createTestClock } from '../../test-clock.ts';
import { ownerNamed } from '../../owners.ts';

export const JOB: NewJob = {
  workflowId: 'workflow',
  name: 'it\'s a "job"',
  description: '',
  spec: {
    type: 'inference',
    task: { task: 'text-classification' },
    backend: { kind: 'encoder-url', baseUrl: 'http://127.0.0.1:1', secretName: null },
    batchSize: 2,
    generation: {},
    systemPrompt: '',
    outputField: 'predictions',
    maxErrorRate: 0,
  },
  datasetId: 'dataset',
  outputId: 'output',
  totalRows: 4,
  compute: 'local',
  timeoutSec: 3600,
  owner: ownerNamed('ann'),
  teamId: null,
  keyId: null,
};

export const outcome = (...texts: string[]) => ({
  rows: texts.map((text): RowCells => ({ predictions: text })),
  failed: 1,
  usage: { promptTokens: 10, completionTokens: 2 },
  firstError: 'no answer',
});

/** Queues of several gateways on one database. */
export async function openQueues(database: TestDatabase) {
  const url = await database.create();
  const clock = createTestClock();
  const ended: Job[] = [];
  const queueOn = (store: Store) =>
    createJobQueue(store, {
      clock,
      onEnded: async (_db, job) => void ended.push(job),
    });
  const store = await database.openStore(url);
  const other = async () => queueOn(await database.openStore(url));
  /** Simulates a holder that has been silent for longer than the lease. */
  const forget = async (id: string) =>
    await store.db.updateTable('gateway_jobs').set({ lease_until: 1 }).where('id', '=', id).execute();
  return { store, clock, ended, queue: queueOn(store), other, forget };
}
export const claimed = (claim: Claim | undefined): Claim => {
  if (!claim) throw new Error('There was nothing to claim.');
  return claim;
};
type Queue = Awaited<ReturnType<typeof openQueues>>['queue'];
export const leased = async (queue: Queue, claim: Claim, worker = 'one'): Promise<LeasedRange> => {
  const range = await queue.lease(claim, worker);
  if (!range) throw new Error('There was nothing to lease.');
  return range;
};
