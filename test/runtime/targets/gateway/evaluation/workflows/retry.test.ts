import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { describeDatabases } from '../../databases.ts';
import { isOver } from '#gateway/evaluation/jobs/job-row.ts';
import { type GatewayProcess, useJobGateways } from '../jobs/job-gateway.ts';
import { type ModelServer, startModelServer, useModelServers } from '../jobs/model-server.ts';
import { encoded, formWith } from './workflow-requests.ts';

useModelServers();

const KEY = { 'X-Gateway-Key': 'Bearer the-master-key-of-job-tests-0123456789' };

describeDatabases((database) => {
  // Nested, so that it is closed before its database is dropped.
  const start = useJobGateways(afterAll);
  let gateway: Promise<GatewayProcess> | undefined;
  const open = async () => {
    gateway ??= database.createShared().then((shared) => start(shared));
    const { url } = await gateway;
    const request = async (method: string, path: string, body?: object) => {
      const sent = body && { body: JSON.stringify(body) };
      const headers = { ...KEY, 'Content-Type': 'application/json' };
      const response = await fetch(url + path, { method, headers, ...sent });
      const text = await response.text();
      // Rows are text; everything else is JSON of any shape.
      const isJson = response.headers.get('content-type')?.split(';')[0] === 'application/json';
      return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
    };
    const upload = async (texts: readonly string[]): Promise<string> => {
      const lines = ['examples,ground_truth', ...texts.map((text) => `${text},POSITIVE`)];
      const { body, type } = await encoded(formWith(lines.join('\n')));
      const headers = { ...KEY, 'Content-Type': type };
      const response = await fetch(`${url}/api/v1/datasets/`, { method: 'POST', body, headers });
      return ((await response.json()) as { readonly id: string }).id;
    };
    /** The path of a new workflow over these texts. */
    const workflow = async (model: ModelServer, texts: readonly string[], more: object): Promise<string> => {
      const task_definition = { task: 'text-classification' };
      const dataset = await upload(texts);
      const made = await request('POST', '/api/v1/experiments/', { name: 'e', dataset, task_definition });
      const asked = { name: 'w', model: 'm', provider: 'encoder', base_url: model.url, batch_size: 4 };
      const { body } = await request('POST', '/api/v1/workflows/', {
        ...asked,
        experiment_id: made.body.id,
        ...more,
      });
      return `/api/v1/workflows/${body.id}`;
    };
    const ended = async (path: string) => {
      for (;;) {
        const { body } = await request('GET', path);
        if (['succeeded', 'failed', 'stopped'].includes(body.status)) return body;
        await sleep(20);
      }
    };
    const rows = async (path: string): Promise<readonly Record<string, unknown>[]> =>
      (await request('GET', `${path}/rows?format=jsonl`)).text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    return { request, upload, workflow, ended, rows };
  };
  const texts = (count: number, ...poisoned: readonly number[]): string[] =>
    Array.from({ length: count }, (_, at) => `good ${poisoned.includes(at) ? 'poison ' : ''}${at}`);
  const jobOf = (workflow: { jobs: { type: string }[] }, type: string) =>
    workflow.jobs.find((job) => job.type === type);

  test('retrying a failed workflow keeps its responses and sends only failed and remaining rows', async () => {
    const { request, workflow, ended, rows } = await open();
    const model = await startModelServer();
    const path = await workflow(model, texts(30, 14), {});
    expect(await ended(path)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('1 of 30 rows failed'),
    });
    const partial = await rows(path);
    expect(partial).toHaveLength(16);
    expect(partial.filter(({ error }) => error !== null)).toMatchObject([{ examples: 'good poison 14' }]);
    const csv = (await request('GET', `${path}/rows`)).text.split('\r\n');
    expect([csv[0]?.startsWith('examples,ground_truth,predictions'), csv.length]).toEqual([true, 18]);

    model.cure();
    const again = await request('POST', `${path}/retry`, { batch_size: 3 });
    expect([again.status, isOver(again.body.status), again.body.error]).toEqual([200, false, null]);
    const done = await ended(path);
    expect(done).toMatchObject({ status: 'succeeded', error: null, metrics: { accuracy: 1, error_rate: 0 } });
    expect(done.parameters.inference.batch_size).toBe(3);
    expect(jobOf(done, 'inference')).toMatchObject({ done_rows: 30, failed_rows: 0 });
    expect([model.counts.size, model.repeated()]).toEqual([30, 0]);
    const all = await rows(path);
    expect(all.map(({ examples }) => examples)).toEqual(texts(30, 14));
    expect(all.every(({ error, predictions }) => error === null && predictions === 'POSITIVE')).toBe(true);
    expect((await request('GET', `${path}/logs`)).body.logs).toContain(
      'Retried: 15 rows keep their responses',
    );
  });

  test('a row that fails again can be accepted with max_error_rate', async () => {
    const { request, workflow, ended } = await open();
    const model = await startModelServer();
    const path = await workflow(model, texts(30, 14), {});
    await ended(path);
    await request('POST', `${path}/retry`);
    expect(await ended(path)).toMatchObject({ status: 'failed' });
    await request('POST', `${path}/retry`, { max_error_rate: 0.1 });
    const done = await ended(path);
    expect(done).toMatchObject({ status: 'succeeded', metrics: { accuracy: 29 / 30, error_rate: 1 / 30 } });
    expect(jobOf(done, 'inference')).toMatchObject({ done_rows: 30, failed_rows: 1 });
    expect([model.counts.size, model.repeated()]).toEqual([29, 0]);
  });

  test('retrying a succeeded workflow sends only its failed rows', async () => {
    const { request, workflow, ended, rows } = await open();
    const model = await startModelServer();
    const poisoned = [1, 14, 29];
    const path = await workflow(model, texts(30, ...poisoned), { max_error_rate: 0.1, batch_size: 1 });
    expect(await ended(path)).toMatchObject({ status: 'succeeded', metrics: { accuracy: 0.9 } });
    expect(model.counts.size).toBe(27);
    model.cure();
    expect((await request('POST', `${path}/retry`)).status).toBe(200);
    const done = await ended(path);
    expect(done).toMatchObject({ status: 'succeeded', metrics: { accuracy: 1, error_rate: 0 } });
    expect(done.jobs).toHaveLength(2);
    expect([model.counts.size, model.repeated()]).toEqual([30, 0]);
    expect((await rows(path)).map(({ examples }) => examples)).toEqual(texts(30, ...poisoned));
    const none = await request('POST', `${path}/retry`);
    expect([none.status, none.body.detail]).toEqual([
      409,
      expect.stringContaining('every row has a response'),
    ]);
  });

  test('a stopped workflow resumes where it stopped', async () => {
    const { request, workflow, ended, rows } = await open();
    const model = await startModelServer();
    const path = await workflow(model, texts(400), { batch_size: 2 });
    await model.asked(100);
    model.hold(true);
    expect((await request('POST', `${path}/cancel`)).body).toMatchObject({ status: 'failed' });
    model.hold(false);
    const kept = (await rows(path)).length;
    expect(kept).toBeGreaterThanOrEqual(96);
    await request('POST', `${path}/retry`, { batch_size: 50 });
    expect(await ended(path)).toMatchObject({ status: 'succeeded', metrics: { accuracy: 1 } });
    expect(await rows(path)).toHaveLength(400);
    // The stopped batch was not stored.
    expect(model.repeated()).toBeLessThanOrEqual(2);
    expect(texts(kept).every((text) => model.counts.get(text) === 1)).toBe(true);
  });

  test('a retry rejects each setting that would mix different responses, with a reason', async () => {
    const { request, workflow, ended } = await open();
    const model = await startModelServer();
    const path = await workflow(model, texts(4, 1), {});
    await ended(path);
    for (const name of ['model', 'generation_config', 'system_prompt', 'batchsize']) {
      const { status, body } = await request('POST', `${path}/retry`, { [name]: 'x' });
      expect([status, body.error.message]).toEqual([
        422,
        `A retry cannot change "${name}", because existing responses are kept. Change only batch_size, max_concurrency, max_error_rate, job_timeout_sec, secret_key_name, or create a new workflow or job.`,
      ]);
    }
    expect((await request('POST', `${path}/retry`, { batch_size: 0 })).status).toBe(422);
    const secret = await request('POST', `${path}/retry`, { secret_key_name: 'none' });
    expect([secret.status, secret.body.detail]).toEqual([400, expect.stringContaining('not configured')]);
    expect(await ended(path)).toMatchObject({ status: 'failed' });
  });

  test('a job without a workflow can be retried and shows its rows', async () => {
    const { request, upload, ended, rows } = await open();
    const model = await startModelServer();
    const made = await request('POST', '/api/v1/jobs/annotate/', {
      name: 'truth',
      dataset: await upload(texts(20, 3)),
      batch_size: 4,
      job_config: {
        job_type: 'annotate',
        provider: 'encoder',
        model: 'm',
        base_url: model.url,
        task_definition: { task: 'text-classification' },
      },
    });
    const path = `/api/v1/jobs/${made.body.id}`;
    expect(await ended(path)).toMatchObject({ status: 'failed', done_rows: 4, failed_rows: 1 });
    expect(await rows(path)).toHaveLength(4);
    model.cure();
    expect((await request('POST', `${path}/retry`)).body.error).toBeNull();
    expect(await ended(path)).toMatchObject({ status: 'succeeded', done_rows: 20, failed_rows: 0 });
    expect([model.counts.size, model.repeated()]).toEqual([20, 0]);
    expect((await request('GET', `${path}/dataset`)).body).toMatchObject({
      ground_truth: true,
      size: expect.any(Number),
    });
    expect((await request('POST', `${path}/retry`)).status).toBe(409);
  });
});
