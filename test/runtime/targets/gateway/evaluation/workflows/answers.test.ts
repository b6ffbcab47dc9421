import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { openWork } from '#gateway/evaluation/work/open-work.ts';
import { runWorker } from '#gateway/evaluation/jobs/worker/run-worker.ts';
import { describeDatabases } from '../../databases.ts';
import { gatewayOn, type OpenGateway } from '../../api/open-gateway.ts';
import { scriptedModel } from '../work/scripted-model.ts';
import { requestsTo } from './workflow-requests.ts';

/** Runs workers for all queued jobs, one after the other. */
async function runWorkers({ context: { jobs } }: OpenGateway, gatewayUrl: string): Promise<void> {
  for (let claim = await jobs.queue.claim(); claim; claim = await jobs.queue.claim()) {
    await jobs.queue.begin(claim);
    const token = await jobs.tokens.sign({ jobId: claim.job.id, epoch: claim.epoch, worker: randomUUID() });
    const { signal } = new AbortController();
    await runWorker({ gatewayUrl, token, clock: systemClock, signal, open: openWork });
  }
}

describeDatabases((database) => {
  test('workflows of one experiment share responses and verdicts, and the comparison reports how many were reused', async () => {
    const { clock, ...state } = await database.start();
    const gateway = gatewayOn(state, clock);
    const { ask } = gateway;
    const { upload, experiment, workflow } = requestsTo(gateway);
    const url = await gateway.listen();
    const model = await scriptedModel(({ body }) =>
      body.model === 'judge' ? '{"score": 4, "reason": "Fine."}' : 'Short.',
    );
    const rows = ['first', 'second', 'first', 'third'].map((text) => `${text},Short.`);
    const dataset = (await upload(['examples,ground_truth', ...rows, ''].join('\n'))).body.id;
    const task = { task_definition: { task: 'summarization' } };
    const id = await experiment(dataset, task);
    const settings = {
      provider: 'openai-compatible',
      base_url: `${model.url}/v1`,
      metrics: ['exact_match', 'g_eval_summarization'],
      llm_as_judge: { model_name: 'judge', model_base_url: `${model.url}/v1` },
    };
    /** Runs a workflow; returns the number of responses and verdicts requested from the model. */
    const asked = async (name: string, more: object = {}, experimentId = id): Promise<number[]> => {
      clock.advance(1);
      const before = model.asked.length;
      const made = await workflow(experimentId, { ...settings, name, ...more });
      expect(made.status).toBe(201);
      await runWorkers(gateway, url);
      expect((await ask('GET', `/api/v1/workflows/${made.body.id}`)).body.error).toBeNull();
      const bodies = model.asked.slice(before).map(({ body }) => body.model);
      return ['m', 'judge'].map((one) => bodies.filter((used) => used === one).length);
    };
    // Equal rows are requested once. The judge has four criteria.
    expect(await asked('first')).toEqual([3, 12]);
    expect(await asked('same', { batch_size: 2, max_concurrency: 1 })).toEqual([0, 0]);
    expect(await asked('warmer', { generation_config: { temperature: 0.5 } })).toEqual([3, 0]);
    expect(await asked('again', { repeat: 2 })).toEqual([3, 0]);
    expect(await asked('without', { answer_cache: false })).toEqual([4, 16]);
    expect(await asked('elsewhere', {}, await experiment(dataset, task))).toEqual([3, 12]);

    const path = `/api/v1/experiments/${id}`;
    const { body } = await ask('GET', `${path}/compare`);
    expect(
      body.workflows.map((one: Record<string, unknown>) => [
        one['name'],
        one['answered_rows'],
        one['cached_rows'],
        one['cached_verdicts'],
        one['tokens_per_row'],
        one['rows_per_second'] === null,
      ]),
    ).toEqual([
      ['first', 4, 1, 4, 14, false],
      ['same', 4, 4, 16, 14, true],
      ['warmer', 4, 1, 16, 14, false],
      ['again', 4, 1, 16, 14, false],
      ['without', 4, 0, 0, 14, false],
    ]);
    const [first, same] = body.workflows;
    expect(same.metrics).toEqual(first.metrics);
    expect(first.metrics.exact_match).toMatchObject({ value: 1, answered: 4 });
    expect((await ask('GET', `${path}/compare?format=markdown`)).text).toContain('4 of 4, 4 cached');
    const csv = (await ask('GET', `${path}/compare?format=csv`)).text.split('\r\n');
    expect(csv[0]).toContain('rows,answered_rows,cached_rows,cached_verdicts,failed_rows');
    expect(csv.find((line) => line.includes(',same,'))).toContain(',4,4,4,16,0,');
    const { text } = await ask('GET', `/api/v1/workflows/${same.id}/rows`);
    expect(text.split('\r\n')[1]).toMatch(/true/);

    const kept = () =>
      state.store.db.selectFrom('gateway_answers').select('key').where('experiment_id', '=', id).execute();
    expect((await kept()).length).toBe(21);
    await ask('DELETE', path);
    expect(await kept()).toEqual([]);
  });
});
