import { randomUUID } from 'node:crypto';
import { afterEach } from 'vitest';
import { type Clock, systemClock } from '#platform/clock.ts';
import { readStoredRows } from '#gateway/evaluation/datasets/chunks.ts';
import type { RowChunk } from '#gateway/evaluation/datasets/dataset.ts';
import type { Claim } from '#gateway/evaluation/jobs/job.ts';
import { runWorker } from '#gateway/evaluation/jobs/worker/run-worker.ts';
import type { BatchOutcome, Work, WorkTools } from '#gateway/evaluation/work/work.ts';
import { describedAnswers } from '#test/helpers/described-answers.ts';
import type { TestDatabase } from '../../databases.ts';
import { type FixtureProvider, startFixture } from '../../fixture-provider.ts';
import { gatewayOn, type GatewayOptions, type OpenGateway } from '../../api/open-gateway.ts';
import { providerOf } from '../../test-provider.ts';
import { inference } from './job-gateway.ts';
import { ownerNamed } from '../../owners.ts';

/** Workers renew their leases every 30 ms instead of every 3 s. */
const IMPATIENT: Clock = {
  ...systemClock,
  after: (milliseconds, run) => systemClock.after(milliseconds / 100, run),
};

export const outcomeOf = ({ rows }: RowChunk, failed = 0): BatchOutcome => ({
  rows: rows.map((row) => ({ ...row, seen: true })),
  failed,
  usage: { promptTokens: 1, completionTokens: 2 },
  firstError: failed === 0 ? undefined : 'no answer',
});
const ECHO: Work = {
  run: (batch) => Promise.resolve(outcomeOf(batch)),
  checkpoint: () => ({ checked: true }),
  resume: () => undefined,
  result: () => ({ metrics: { one: 1 }, details: {}, parameters: {} }),
  close: () => Promise.resolve(),
};

let openai: FixtureProvider;
const gateways: OpenGateway[] = [];

/** Starts a provider for the tests of one file: files that run in one process share this module, but not the provider. */
export async function useWorkerJobs(): Promise<void> {
  openai = await startFixture('openai');
  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.close();
  });
}

/** A gateway with a claimed job with this many rows, in batches of two. */
export async function openWorkerJob(
  database: TestDatabase,
  rows: number,
  more: Parameters<typeof inference>[1] = {},
  userId: string | null = null,
  options: Pick<GatewayOptions, 'program' | 'encoderPaths'> = {},
) {
  const owner = userId === null ? null : ownerNamed(userId);
  const { clock, ...state } = await database.start();
  const gateway = gatewayOn(state, clock, { ...options, providers: [providerOf('openai', openai)] });
  gateways.push(gateway);
  // The job of an unknown user is stopped.
  if (userId !== null) await gateway.context.state.identity.users.create({ userId });
  const { db } = state.store;
  const { jobs } = gateway.context;
  const lines = ['examples', ...Array.from({ length: rows }, (_, at) => `text ${at}`)].join('\n');
  const bytes = (async function* () {
    yield Buffer.from(lines);
  })();
  const { id: datasetId } = await jobs.datasets.upload({ filename: 'a.csv', bytes, owner });
  const output = { filename: 'output.csv', runId: 'run', generatedBy: 'model', owner };
  const outputId = await jobs.datasets.begin(db, output);
  const { id } = await jobs.queue.create(db, {
    workflowId: null,
    name: 'job',
    description: '',
    spec: inference('http://127.0.0.1:1', { batchSize: 2, ...more }),
    datasetId,
    outputId,
    totalRows: rows,
    compute: 'local',
    timeoutSec: 60,
    owner,
    teamId: null,
    keyId: null,
  });
  const claim = (await jobs.queue.claim()) as Claim;
  const worker = randomUUID();
  const token = await jobs.tokens.sign({ jobId: id, epoch: claim.epoch, worker });
  const url = await gateway.listen();
  const described = describedAnswers((await gateway.request('/openapi.json')).body);
  const stop = new AbortController();
  return {
    gateway,
    clock,
    db,
    claim,
    token,
    worker,
    stop,
    run: (work: Partial<Work> = {}, tools: (given: WorkTools) => void = () => undefined) =>
      runWorker({
        gatewayUrl: url,
        token,
        clock: IMPATIENT,
        signal: stop.signal,
        open: async (_spec, given) => {
          tools(given);
          return { ...ECHO, ...work };
        },
      }),
    /** The number of requests that the provider has received. */
    asked: async () => (await openai.counts())['requests'],
    job: () => jobs.queue.get('everyone', id),
    output: async () => (await Array.fromAsync(readStoredRows(db, outputId))).flatMap((chunk) => chunk.rows),
    asWorker: async (method: string, route: string, body?: unknown, bearer = token) => {
      const path = `/api/v1/worker${route}`;
      const answer = await gateway.ask(method, path, body, { 'X-Gateway-Key': `Bearer ${bearer}` });
      described.expectDescribed(method, path, answer);
      return answer;
    },
  };
}
