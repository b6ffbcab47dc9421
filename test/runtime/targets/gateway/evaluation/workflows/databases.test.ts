import { expect, test } from 'vitest';
import { describeDatabases } from '../../databases.ts';
import { startFixture } from '../../fixture-provider.ts';
import { gatewayOn } from '../../api/open-gateway.ts';
import { doJobs } from './do-jobs.ts';
import { LABELLED, requestsTo } from './workflow-requests.ts';

const encoder = await startFixture('encoder');

// Differences between databases: sums, pagination, and conditions on other tables.
describeDatabases((database) => {
  test('a workflow runs from upload to comparison, and workflows are listed with pagination and filters', async () => {
    const { clock, ...state } = await database.start();
    const gateway = gatewayOn(state, clock);
    const { ask, request, context } = gateway;
    const { upload, experiment, workflow } = requestsTo(gateway);
    const dataset = (await upload(LABELLED)).body.id as string;
    const id = await experiment(dataset, { name: 'zero \0 and half \ud800' });
    const begin = async (name: string): Promise<string> => {
      clock.advance(1);
      return (await workflow(id, { name, provider: 'encoder', base_url: encoder.url })).body.id as string;
    };
    const first = await begin('first');
    await doJobs(context.jobs);
    const second = await begin('second');
    const claim = await context.jobs.queue.claim();
    if (claim) await context.jobs.queue.begin(claim);
    const third = await begin('third');

    const page = async (query: string): Promise<[number, string[]]> => {
      const { body } = await ask('GET', `/api/v1/workflows/?${query}`);
      return [body.total, body.items.map((one: { id: string }) => one.id)];
    };
    expect(await page('')).toEqual([3, [third, second, first]]);
    expect(await page('skip=1&limit=1')).toEqual([3, [second]]);
    expect(await page('status=succeeded')).toEqual([1, [first]]);
    expect(await page('status=running')).toEqual([1, [second]]);
    expect(await page('status=created')).toEqual([1, [third]]);
    expect(await page('status=failed')).toEqual([0, []]);
    expect(await page('experiment_id=other')).toEqual([0, []]);
    // The uploaded dataset, and the responses of the first workflow.
    const lists = await Promise.all(
      ['datasets', 'experiments', 'jobs'].map((list) => ask('GET', `/api/v1/${list}/?limit=1`)),
    );
    expect(lists.map(({ body }) => [body.total, body.items.length])).toEqual([
      [2, 1],
      [1, 1],
      [4, 1],
    ]);

    if (!claim) throw new Error('There is no job.');
    await context.jobs.queue.end(claim, { status: 'failed', error: 'broken \0' });
    await doJobs(context.jobs);
    expect(await page('status=failed')).toEqual([1, [second]]);
    const { body } = await ask('GET', `/api/v1/experiments/${id}/compare`);
    expect(body).toMatchObject({ partial: true, experiment: { name: 'zero \ufffd and half \ufffd' } });
    expect(body.workflows.map(({ status }: { status: string }) => status)).toEqual([
      'succeeded',
      'failed',
      'succeeded',
    ]);
    const address = new URL((await ask('GET', `/api/v1/workflows/${first}/result/download`)).body);
    expect((await request(address.pathname + address.search)).body.artifacts.predictions).toHaveLength(4);
    expect((await ask('DELETE', `/api/v1/experiments/${id}`)).status).toBe(200);
    expect(await page('')).toEqual([0, []]);
    expect((await ask('DELETE', `/api/v1/datasets/${dataset}`)).status).toBe(204);
  });
});
