import { expect, test } from 'vitest';
import { describeDatabases } from '../databases.ts';
import { gatewayOn } from '../api/open-gateway.ts';
import { startFixture } from '../fixture-provider.ts';
import { LABELLED, requestsTo } from './workflows/workflow-requests.ts';

const encoder = await startFixture('encoder');

describeDatabases((database) => {
  test('datasets, experiments and workflows can be renamed, tagged and searched', async () => {
    const { clock, ...state } = await database.start();
    const gateway = gatewayOn(state, clock);
    const { ask } = gateway;
    const { upload, experiment, workflow } = requestsTo(gateway);
    const dataset = (await upload(LABELLED, 'Straße_100%.csv')).body.id as string;
    const other = (await upload(LABELLED, 'other.csv')).body.id as string;
    const id = await experiment(dataset, { name: 'Größe', description: 'first TRY', tags: ['a b'] });
    const second = await experiment(other, { name: 'two', tags: [] });
    const given = { name: 'w', provider: 'encoder', base_url: encoder.url, tags: ['x'] };
    const run = (await workflow(id, given)).body.id as string;

    const found = async (list: string, query: string): Promise<[number, string[]]> => {
      const { body } = await ask('GET', `/api/v1/${list}/?${query}`);
      return [body.total, body.items.map((one: { id: string }) => one.id)];
    };
    const change = async (path: string, body: object) => {
      const answer = await ask('PATCH', `/api/v1/${path}`, body);
      return [answer.status, answer.body];
    };
    expect(await found('datasets', 'search=STRASSE')).toEqual([0, []]);
    expect(await found('datasets', 'search=STRA%C3%9FE_1')).toEqual([1, [dataset]]);
    expect(await found('datasets', 'search=100%25')).toEqual([1, [dataset]]);
    expect(await found('datasets', 'search=s_r')).toEqual([0, []]);
    expect(await found('experiments', 'search=gr%C3%96%C3%9Fe')).toEqual([1, [id]]);
    expect(await found('experiments', 'search=try&tag=a%20b')).toEqual([1, [id]]);
    expect(await found('experiments', 'tag=a')).toEqual([0, []]);
    expect(await found('experiments', 'search=%00')).toEqual([0, []]);
    expect(await found('workflows', `tag=x&experiment_id=${id}`)).toEqual([1, [run]]);

    const renamed = { name: 'Three', tags: ['b', 'c%'] };
    expect(await change(`experiments/${id}`, renamed)).toEqual([200, expect.objectContaining(renamed)]);
    expect(await found('experiments', 'search=gr%C3%B6%C3%9Fe')).toEqual([0, []]);
    expect(await found('experiments', 'tag=b&tag=c%25')).toEqual([1, [id]]);
    expect(await found('experiments', 'tag=b&tag=d')).toEqual([0, []]);
    const kept = await ask('GET', `/api/v1/experiments/${id}`);
    expect(kept.body).toMatchObject({ experiment_id: id, description: 'first TRY', name: 'Three' });
    expect(await change(`experiments/${second}`, { name: 'Three' })).toEqual([
      409,
      expect.objectContaining({
        error: expect.objectContaining({
          message: 'An experiment named "Three" already exists. Choose another name.',
        }),
      }),
    ]);
    expect(await change(`datasets/${dataset}`, { filename: 'new.csv', tags: ['t'] })).toEqual([
      200,
      expect.objectContaining({ filename: 'new.csv', tags: ['t'] }),
    ]);
    expect(await found('datasets', 'search=new&tag=t')).toEqual([1, [dataset]]);
    expect(await change(`workflows/${run}`, { name: 'W2', description: 'd' })).toEqual([
      200,
      expect.objectContaining({ id: run, workflow_id: run, name: 'W2', description: 'd', tags: ['x'] }),
    ]);
    for (const wrong of [{ tags: ['a"b'] }, { tags: ['a', 'a'] }, { name: '' }, { owner: 'me' }])
      expect((await change(`experiments/${id}`, wrong))[0]).toBe(422);
    expect((await change('workflows/none', { name: 'a' }))[0]).toBe(404);
    const events = (await ask('GET', '/v1/admin/audit?action=experiment.update')).body;
    expect(JSON.stringify(events)).toContain('Three');
  });
});
