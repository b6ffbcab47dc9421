import { expect, test } from 'vitest';
import { describeDatabases } from '../../databases.ts';
import { inference, openJobs, useJobGateways } from './job-gateway.ts';
import { startModelServer, useModelServers } from './model-server.ts';

const start = useJobGateways();
useModelServers();

describeDatabases((database) => {
  const open = async () => {
    const url = await database.create();
    const jobs = await openJobs(database, url);
    const model = await startModelServer();
    return { url, jobs, model };
  };

  test('a job runs in a separate process and writes all rows once, in order', async () => {
    const { url, jobs, model } = await open();
    const { id } = await jobs.create(95, { spec: inference(model.url) });
    await start(url);
    const job = await jobs.ended(id);
    expect(job.error).toBeNull();
    expect(job).toMatchObject({ status: 'succeeded', doneRows: 95, failedRows: 0 });
    const rows = await jobs.output(job);
    expect(rows.map(({ examples }) => examples)).toEqual(Array.from({ length: 95 }, (_, at) => `text ${at}`));
    expect(new Set(model.counts.values())).toEqual(new Set([1]));
  });
});
