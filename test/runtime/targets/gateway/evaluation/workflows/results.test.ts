import { expect, test } from 'vitest';
import { useGateway } from '../../api/use-gateway.ts';
import { scriptedModel } from '../work/scripted-model.ts';
import { doJobs } from './do-jobs.ts';
import { LABELLED, requestsTo } from './workflow-requests.ts';

const model = await scriptedModel(({ body }) =>
  body.model === 'judge'
    ? '{"reason": "It is <b>fair</b>.", "score": 8}'
    : body.model === 'guesser'
      ? 'SAFE'
      : 'INJECTION',
);
const gateway = useGateway();

test("an experiment returns rows, plots, progress and a report, and its rows contain the judge's reasons", async () => {
  const { ask, context, listen, clock } = gateway();
  const { upload, experiment, workflow } = requestsTo(gateway());
  const dataset = (await upload(LABELLED)).body.id;
  const id = await experiment(dataset, {
    task_definition: { task: 'text-generation' },
    tags: ['100%', 'b'],
  });
  const path = `/api/v1/experiments/${id}`;
  const server = { provider: 'llamafile', base_url: `${model.url}/v1`, system_prompt: 'Judge the text.' };
  const ids: string[] = [];
  for (const name of ['guesser', 'other']) {
    clock.advance(1);
    const more = {
      custom_metrics: [
        { name: 'safe', regex: 'SAFE' },
        { name: 'fair', rubric: 'The answer is fair.' },
      ],
      llm_as_judge: { model_name: 'judge', model_base_url: `${model.url}/v1` },
    };
    const { body } = await workflow(id, { ...server, ...more, name, model: name });
    expect(body.id ?? body).toEqual(expect.any(String));
    ids.push(body.id);
  }
  const [guesser = '', other = ''] = ids;

  expect((await ask('GET', `${path}/progress`)).body).toMatchObject({
    active: true,
    workflows: [{ id: guesser, jobs: [{ type: 'inference', total_rows: 4, done_rows: 0, workers: [] }] }, {}],
  });
  const claim = await context.jobs.queue.claim();
  if (!claim) throw new Error('There was nothing to claim.');
  await context.jobs.queue.begin(claim);
  await context.jobs.queue.lease(claim, 'a worker');
  const [first] = (await ask('GET', `${path}/progress`)).body.workflows;
  expect(first.jobs[0].workers).toEqual([
    { worker: 'a worker', first_row: 1, rows: 1, done_rows: 0, failed_rows: 0 },
  ]);
  expect((await ask('GET', `${path}/rows`)).body).toMatchObject({
    total: 4,
    items: [{ row: 1, differs: false, models: { [guesser]: { answer: null, scores: {} } } }, {}, {}, {}],
  });
  await context.jobs.queue.workerEnded(claim, 'a worker', false);
  await context.jobs.queue.release(claim);
  await doJobs(context.jobs, await listen());

  const { body: rows } = await ask('GET', `${path}/rows?search=ATTACK&sort=-spread&metric=safe`);
  expect(rows).toMatchObject({
    total: 1,
    items: [
      {
        row: 2,
        example: 'This is an attack',
        ground_truth: 'INJECTION',
        differs: true,
        models: {
          [guesser]: {
            answer: 'SAFE',
            scores: { safe: 1, fair: 0.8 },
            reasons: { fair: 'It is <b>fair</b>.' },
          },
          [other]: { answer: 'INJECTION', error: null, scores: { safe: 0 } },
        },
      },
    ],
  });
  const { body: plots } = await ask('GET', `${path}/plots?metric=safe`);
  expect(plots).toMatchObject({
    metric: 'safe',
    labels: [],
    label: null,
    metrics: expect.arrayContaining(['fair']),
  });
  expect(
    plots.workflows.map(({ scores }: { scores: readonly { rows: number }[] }) => scores.at(-1)?.rows),
  ).toEqual([4, 0]);
  const report = await ask('GET', `${path}/report?metric=safe`);
  expect(report.text).toMatch(/^<!doctype html>[^]*It is \\u003cb>fair/);

  for (const wrong of [
    'rows?sort=size',
    'rows?metric=wit',
    'rows?workflow=x',
    'plots?metric=wit',
    'report?metric=wit',
  ])
    expect((await ask('GET', `${path}/${wrong}`)).status).toBe(422);
  for (const part of ['rows', 'plots', 'progress', 'report'])
    expect((await ask('GET', `/api/v1/experiments/none/${part}`)).status).toBe(404);

  expect((await ask('GET', path)).body.tags).toEqual(['100%', 'b']);
  const found = async (query: string): Promise<number> =>
    (await ask('GET', `/api/v1/experiments/?${query}`)).body.total;
  expect([
    await found('tag=B'),
    await found('tag=100%25'),
    await found('tag=1__%25'),
    await found('tag=0'),
  ]).toEqual([1, 1, 0, 0]);
  expect([await found('search=ONE'), await found('search=%25'), await found('search=%00')]).toEqual([
    1, 0, 0,
  ]);
});
