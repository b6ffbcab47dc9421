import { expect, test } from 'vitest';
import { startFixture } from '../../fixture-provider.ts';
import { useGateway } from '../../api/use-gateway.ts';
import { providerOf } from '../../test-provider.ts';
import { doJobs } from './do-jobs.ts';
import { LABELLED, requestsTo } from './workflow-requests.ts';

const [encoder, openai] = [await startFixture('encoder'), await startFixture('openai')];
const gateway = useGateway(() => ({ providers: [providerOf('openai', openai)] }));

test('the comparison includes intervals, significance, cost, tokens, latency and disagreements, and is marked as partial if a model failed', async () => {
  const { ask, context, listen, clock } = gateway();
  const { upload, experiment, workflow } = requestsTo(gateway());
  await context.state.prices.set({
    modelKey: 'openai:small',
    input: 1_000_000_000n,
    output: 2_000_000_000n,
    cachedInput: null,
  });
  const lines = Array.from({ length: 20 }, () => LABELLED.split('\n').slice(1, 5)).flat();
  const text = ['examples,ground_truth', ...lines, ''].join('\n');
  const id = await experiment((await upload(text)).body.id, { name: '=cmd()|x' });
  const begin = async (more: object): Promise<string> => {
    clock.advance(1);
    return (await workflow(id, more)).body.id;
  };
  const good = await begin({ name: 'good', provider: 'encoder', base_url: encoder.url, batch_size: 16 });
  const llm = await begin({ name: 'llm', provider: 'openai', model: 'small', batch_size: 8 });
  const failing = await begin({ name: 'no', provider: 'openai', model: 'fails-400' });
  await doJobs(context.jobs, await listen());

  const path = `/api/v1/experiments/${id}/compare`;
  const { status, body } = await ask('GET', path);
  expect(status).toBe(200);
  expect(body.partial).toBe(true);
  const [first, second, third] = body.workflows;
  expect([first.id, second.id, third.id]).toEqual([good, llm, failing]);
  expect(first).toMatchObject({ status: 'succeeded', cost: null, rows: 80, failed_rows: 0 });
  const { value, interval, rows } = first.metrics.accuracy;
  expect([value, rows]).toEqual([0.75, 80]);
  expect([interval.low < 0.75, interval.high > 0.75]).toEqual([true, true]);
  expect(first.latency_ms.p95).toBeGreaterThanOrEqual(first.latency_ms.p50);
  // 80 requests of 21 and 9 tokens, according to the ledger.
  expect(second.cost).toBeCloseTo(80 * (21 * 1e-6 + 9 * 2e-6), 9);
  expect([second.prompt_tokens, second.completion_tokens]).toEqual([80 * 21, 80 * 9]);
  expect(third).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('inference failed'),
    metrics: {},
  });

  const pair = body.pairs.find(({ metric }: { metric: string }) => metric === 'accuracy');
  expect(pair).toMatchObject({
    first: good,
    second: llm,
    difference: -0.75,
    test: 'mcnemar_exact',
    rows: 80,
  });
  expect(pair.p_value).toBeLessThan(0.001);
  expect(pair.adjusted_p_value).toBeGreaterThanOrEqual(pair.p_value);
  expect(body.disagreements.total).toBe(80);
  expect(body.disagreements.items).toHaveLength(20);
  expect((await ask('GET', `${path}?disagreements=1`)).body.disagreements.items).toEqual([
    {
      row: 1,
      example: 'Hello there',
      ground_truth: 'SAFE',
      answers: { [good]: 'SAFE', [llm]: expect.any(String) },
    },
  ]);

  expect((await ask('GET', path)).body).toEqual(body);

  const csv = await ask('GET', path, undefined, { Accept: 'text/csv' });
  expect(csv.headers.get('Content-Type')).toContain('text/csv');
  expect(csv.text).toContain(`${good},good,m,encoder,succeeded,accuracy,0.75,`);
  const markdown = await ask('GET', `${path}?format=markdown`);
  expect(markdown.text).toContain('# =cmd()\\|x');
  expect(markdown.text).toContain('## Not compared');
  expect((await ask('GET', `${path}?format=xml`)).status).toBe(422);
  expect((await ask('GET', '/api/v1/experiments/none/compare')).status).toBe(404);

  // A cached comparison is not shown for a workflow that runs again.
  clock.advance(1);
  expect((await ask('POST', `/api/v1/workflows/${failing}/retry`)).status).toBe(200);
  expect((await ask('GET', path)).body.workflows[2]).toMatchObject({ status: 'created', error: null });
  await ask('DELETE', `/api/v1/workflows/${failing}?force=true`);
  expect((await ask('GET', path)).body).toMatchObject({ partial: false });
});
