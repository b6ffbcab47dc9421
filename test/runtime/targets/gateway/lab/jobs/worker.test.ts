import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { AppError } from '../../../../../../runtime/contract/errors.ts';
import type { RowChunk } from '../../../../../../runtime/targets/gateway/lab/datasets/dataset.ts';
import { readRows } from '../../../../../../runtime/targets/gateway/lab/datasets/chunks.ts';
import type { Claim } from '../../../../../../runtime/targets/gateway/lab/jobs/job.ts';
import { runWorker } from '../../../../../../runtime/targets/gateway/lab/jobs/worker/run-worker.ts';
import { jobPause } from '../../../../../../runtime/targets/gateway/lab/work/job-pause.ts';
import type {
  BatchOutcome,
  Work,
  WorkTools,
} from '../../../../../../runtime/targets/gateway/lab/work/work.ts';
import { systemClock } from '../../../../../../runtime/platform/clock.ts';
import { describedAnswers } from '../../../../../helpers/described-answers.ts';
import { describeDatabases } from '../../databases.ts';
import { startFixture } from '../../fixture-provider.ts';
import { gatewayOn, type OpenGateway } from '../../front/open-gateway.ts';
import { providerOf } from '../../test-provider.ts';
import { inference } from './job-gateway.ts';

const outcomeOf = ({ rows }: RowChunk, failed = 0): BatchOutcome => ({
  rows: rows.map((row) => ({ ...row, seen: true })),
  failed,
  usage: { promptTokens: 1, completionTokens: 2 },
  firstError: failed === 0 ? undefined : 'no answer',
});
const ECHO: Work = {
  run: (batch) => Promise.resolve(outcomeOf(batch)),
  checkpoint: () => ({ checked: true }),
  result: () => ({ metrics: { one: 1 }, details: {}, parameters: {} }),
  close: () => Promise.resolve(),
};

const openai = await startFixture('openai');
const gateways: OpenGateway[] = [];
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
});

describeDatabases((database) => {
  /** A gateway with a claimed job over so many rows, in batches of two. */
  async function openJob(
    rows: number,
    more: Parameters<typeof inference>[1] = {},
    owner: string | null = null,
  ) {
    const { clock, ...state } = await database.start();
    const gateway = gatewayOn(state, clock, { providers: [providerOf('openai', openai)] });
    gateways.push(gateway);
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
    });
    const claim = (await jobs.queue.claim()) as Claim;
    const token = await jobs.tokens.sign({ jobId: id, epoch: claim.epoch });
    const url = await gateway.listen();
    const described = describedAnswers((await gateway.request('/openapi.json')).body);
    const stop = new AbortController();
    return {
      gateway,
      claim,
      token,
      stop,
      run: (work: Partial<Work> = {}, tools: (given: WorkTools) => void = () => undefined) =>
        runWorker({
          gatewayUrl: url,
          token,
          clock: systemClock,
          signal: stop.signal,
          open: async (_spec, given) => {
            tools(given);
            return { ...ECHO, ...work };
          },
        }),
      job: () => jobs.queue.get('everyone', id),
      output: async () => (await Array.fromAsync(readRows(db, outputId))).flatMap((chunk) => chunk.rows),
      asWorker: async (method: string, route: string, body?: unknown, bearer = token) => {
        const path = `/api/v1/worker${route}`;
        const answer = await gateway.ask(method, path, body, { 'X-Gateway-Key': `Bearer ${bearer}` });
        described.expectDescribed(method, path, answer);
        return answer;
      },
    };
  }

  test('a worker does what is left, tells what it came to, and goes on at a checkpoint', async () => {
    const { gateway, claim, run, job, output } = await openJob(7);
    const before = outcomeOf({ firstRow: 0, rows: [{ examples: 'text 0' }, { examples: 'text 1' }] });
    await gateway.context.jobs.queue.commit(claim, 0, before, { work: 'far', first_error: null });
    const batches: number[] = [];
    await run(
      {
        run: async (batch) => {
          batches.push(batch.firstRow, batch.rows.length);
          return outcomeOf(batch);
        },
      },
      ({ log }) => log('info', 'hello'),
    );
    expect(batches).toEqual([2, 2, 4, 2, 6, 1]);
    expect((await output()).map(({ examples }) => examples)).toEqual(
      Array.from({ length: 7 }, (_, at) => `text ${at}`),
    );
    expect(await job()).toMatchObject({ status: 'succeeded', doneRows: 7, result: { metrics: { one: 1 } } });
    const { text } = (await gateway.context.jobs.queue.logs(claim.job.id))[0] ?? {};
    expect(text).toBe('hello');
  });

  test('no batch is computed before the one before it is written, though its rows are fetched', async () => {
    const { run, job } = await openJob(20);
    const unwritten: number[] = [];
    await run({
      run: async (batch) => {
        unwritten.push(batch.firstRow - (await job()).doneRows);
        return outcomeOf(batch);
      },
    });
    expect(unwritten).toEqual(Array.from({ length: 10 }, () => 0));
  });

  test('more rows that fail than may: the job fails with the first of the errors', async () => {
    const { run, job } = await openJob(10, { maxErrorRate: 0.2 });
    await run({ run: (batch) => Promise.resolve(outcomeOf(batch, 1)) });
    expect(await job()).toMatchObject({
      status: 'failed',
      doneRows: 6,
      error: '3 of 10 rows failed, which is more than max_error_rate 0.2 allows. First error: no answer',
    });
  });

  test('an error for its user ends the job, another one only the worker', async () => {
    const refused = await openJob(4);
    await refused.run({
      run: () => Promise.reject(new AppError('InputError', 'The encoder has no label X.')),
    });
    expect(await refused.job()).toMatchObject({ status: 'failed', error: 'The encoder has no label X.' });
    const broken = await openJob(4);
    let closed = false;
    const running = broken.run({
      run: () => Promise.reject(new TypeError('a bug')),
      close: async () => void (closed = true),
    });
    await expect(running).rejects.toThrow('a bug');
    expect([closed, (await broken.job()).endedAt]).toEqual([true, null]);
  });

  test('a spent budget pauses the job with its reason, and keeps what was answered', async () => {
    const { claim, gateway, run, job, output } = await openJob(6);
    await run({
      run: async (batch) => {
        if (batch.firstRow === 4) throw jobPause('The budget is spent.', undefined, undefined);
        return outcomeOf(batch);
      },
    });
    const reason = 'Paused: The budget is spent.';
    expect(await job()).toMatchObject({ status: 'created', doneRows: 4, queuedReason: reason, error: null });
    expect(await output()).toHaveLength(4);
    const lines = await gateway.context.jobs.queue.logs(claim.job.id);
    expect(lines.map(({ text }) => text)).toEqual([`${reason} Next attempt in 30 seconds.`]);
  });

  test('a worker that has lost its job stops, and writes nothing more', async () => {
    const { gateway, claim, run, output } = await openJob(8);
    const running = run({
      run: async (batch) => {
        if (batch.firstRow === 4) await gateway.context.jobs.queue.release(claim);
        return outcomeOf(batch);
      },
    });
    await expect(running).rejects.toMatchObject({ reason: 'lease_lost' });
    expect((await output()).length).toBeLessThanOrEqual(4);
  });

  test('a worker that is told to stop closes its work', async () => {
    const { run, stop, job } = await openJob(4);
    const closed = Promise.withResolvers<void>();
    const running = run({
      run: async (_batch, signal) => {
        stop.abort();
        while (!signal.aborted) await turn();
        throw signal.reason;
      },
      close: async () => closed.resolve(),
    });
    await running;
    await closed.promise;
    expect((await job()).endedAt).toBeNull();
  });

  test('a token opens its own job, while the lease holds, and the secrets that the job names', async () => {
    const backend = { kind: 'encoder-url', baseUrl: 'http://127.0.0.1:1', secretName: 'mine' } as const;
    const { gateway, claim, asWorker, token } = await openJob(4, { backend });
    const { jobs } = gateway.context;
    for (const name of ['mine', 'other']) await jobs.secrets.set(null, name, `value of ${name}`, '');
    expect((await asWorker('GET', '/job')).body).toMatchObject({
      id: claim.job.id,
      trusted: true,
      done_rows: 0,
    });
    expect((await asWorker('GET', '/secrets/mine')).body).toEqual({ value: 'value of mine' });
    expect((await asWorker('GET', '/secrets/other')).status).toBe(403);
    const forged = token.replace(/\.\d+\./, '.2.');
    expect((await asWorker('GET', '/job', undefined, forged)).status).toBe(401);
    expect((await asWorker('GET', '/job', undefined, 'gw-nothing')).status).toBe(401);
    expect(
      (await gateway.request('/v1/models', { headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(401);
    const batch = {
      first_row: 0,
      rows: [{ a: 1 }],
      failed: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      checkpoint: { work: null, first_error: null },
    };
    // Sent again because the answer was lost.
    for (const _ of [1, 2]) expect((await asWorker('POST', '/batches', batch)).status).toBe(204);
    expect((await asWorker('POST', '/batches', { ...batch, first_row: 3 })).status).toBe(409);
    await jobs.queue.release(claim);
    expect((await asWorker('GET', '/alive')).status).toBe(409);
  });

  test('work asks models on the account of whose it is', async () => {
    for (const [owner, userId] of [
      ['ada', 'ada'],
      [null, 'workflows'],
    ] as const) {
      const { gateway, asWorker, token } = await openJob(1, {}, owner);
      const { identity, usage } = gateway.context.state;
      if (owner !== null) await identity.users.create({ userId: owner });
      await asWorker('GET', '/job');
      const chat = {
        model: 'openai:small',
        messages: [{ role: 'user', content: 'Hi' }],
        user: 'somebody else',
      };
      const headers = { 'X-Gateway-Key': `Bearer ${token}` };
      expect((await gateway.ask('POST', '/v1/chat/completions', chat, headers)).status).toBe(200);
      expect(await usage.totals({ userId })).toMatchObject({ requests: 1 });
      const forged = { 'X-Gateway-Key': 'Bearer gwjob-x' };
      expect((await gateway.ask('POST', '/v1/chat/completions', chat, forged)).status).toBe(401);
    }
  });
});
