import { expect, test } from 'vitest';
import { startFixture } from '../../fixture-provider.ts';
import { useGateway } from '../../api/use-gateway.ts';
import { providerOf } from '../../test-provider.ts';
import { scriptedModel } from '../work/scripted-model.ts';
import { doJobs } from './do-jobs.ts';
import { MASTER, requestsTo } from './workflow-requests.ts';

const openai = await startFixture('openai');
const gateway = useGateway(() => ({ providers: [providerOf('openai', openai)] }));
const partial = await scriptedModel(({ body }) =>
  body.messages.at(-1)?.content.startsWith('fail') ? { status: 400, error: 'No.' } : 'GOOD',
);
/** 4 rows, of which the model fails for 3. */
const ROWS = 'examples,ground_truth\nhello,GOOD\nfail 1,GOOD\nfail 2,BAD\nfail 3,GOOD\n';

async function compared(...models: readonly object[]) {
  const { ask, context, listen, clock } = gateway();
  const { upload, experiment, workflow } = requestsTo(gateway());
  const id = await experiment((await upload(ROWS)).body.id);
  for (const model of models) {
    clock.advance(1);
    const { status, text } = await workflow(id, { metrics: ['accuracy'], max_error_rate: 1, ...model });
    if (status !== 201) throw new Error(text);
  }
  await doJobs(context.jobs, await listen());
  const path = `/api/v1/experiments/${id}/compare`;
  return {
    workflows: (await ask('GET', path)).body.workflows,
    markdown: (await ask('GET', `${path}?format=markdown`)).text,
    csv: (await ask('GET', `${path}?format=csv`)).text,
  };
}
const failing = (own: object) => ({ provider: 'openai-compatible', base_url: `${partial.url}/v1`, ...own });
const cellsOf = (markdown: string, name: string): Record<string, string> => {
  const lines = markdown.split('\n').filter((line) => line.startsWith('|'));
  const [head = [], row = []] = [lines[0], lines.find((line) => line.startsWith(`| ${name} `))].map((line) =>
    line?.split('|').map((cell) => cell.trim()),
  );
  return Object.fromEntries(head.map((title, at) => [title, row[at] ?? '']));
};

test('failed rows are shown and count as wrong, unless the workflow specifies otherwise', async () => {
  const { workflows, markdown, csv } = await compared(
    failing({ name: 'default' }),
    failing({ name: 'strict', failures: 'wrong' }),
    failing({ name: 'lenient', failures: 'skipped' }),
  );
  const shown = workflows.map(
    ({ failures, failed_rows, unscored_rows, rows, metrics }: Record<string, unknown>) => [
      failures,
      failed_rows,
      unscored_rows,
      rows,
      (metrics as { accuracy: { value: number; rows: number } }).accuracy,
    ],
  );
  const interval = expect.anything();
  expect(shown).toEqual([
    ['wrong', 3, 0, 4, { value: 0.25, rows: 4, answered: 1, interval }],
    ['wrong', 3, 0, 4, { value: 0.25, rows: 4, answered: 1, interval }],
    ['skipped', 3, 0, 4, { value: 1, rows: 1, answered: 1, interval }],
  ]);
  expect(cellsOf(markdown, 'default')).toMatchObject({ status: 'succeeded', answered: '1 of 4' });
  expect(markdown).toContain('Failed rows count as wrong, except for lenient, where they are skipped.');
  const [head = '', first = ''] = csv.split('\r\n');
  expect(head.split(',')).toContain('failed_rows');
  expect(first.split(',')[head.split(',').indexOf('failed_rows')]).toBe('3');
});

test('the failures setting accepts only two values', async () => {
  const { ask } = gateway();
  const { upload, experiment } = requestsTo(gateway());
  const id = await experiment((await upload(ROWS)).body.id);
  const refused = await ask('POST', '/api/v1/workflows/', {
    name: 'w',
    experiment_id: id,
    ...failing({ model: 'm', failures: 'ignored' }),
  });
  expect([refused.status, refused.body.error.message]).toEqual([422, expect.stringMatching(/failures/)]);
});

test('the cost of a model without a price is unknown, not zero', async () => {
  const { context } = gateway();
  await context.state.prices.set({ modelKey: 'openai:priced', input: 1n, output: 1n, cachedInput: null });
  const { workflows, markdown, csv } = await compared(
    { name: 'unpriced', provider: 'openai', model: 'unpriced' },
    { name: 'priced', provider: 'openai', model: 'priced' },
  );
  const costs = workflows.map(({ cost }: { cost: number | null }) => cost);
  expect(costs).toEqual([null, expect.any(Number)]);
  expect(cellsOf(markdown, 'unpriced')).toMatchObject({ cost: '-', answered: '4 of 4' });
  expect(cellsOf(markdown, 'priced')['cost']).toMatch(/^\$/);
  expect(markdown).not.toContain('Failed rows count');
  const [head = '', first = ''] = csv.split('\r\n');
  expect(first.split(',')[head.split(',').indexOf('cost')]).toBe('');
});

test('if an exhausted budget causes rows to fail, the reason names the budget', async () => {
  const { ask, context, listen } = gateway();
  await context.state.prices.set({
    modelKey: 'openai:dear',
    input: 1_000_000_000_000n,
    output: 1_000_000_000_000n,
    cachedInput: null,
  });
  const budget = await ask('POST', '/v1/budgets', { max_budget: 0.000001 });
  await ask('POST', '/v1/users', { user_id: 'poor', budget_id: budget.body.budget_id });
  const { key } = (await ask('POST', '/v1/keys', { key_name: 'k', user_id: 'poor' })).body;
  const headers = { 'X-Gateway-Key': `Bearer ${key}` };
  const { upload } = requestsTo(gateway());
  const dataset = (await upload(ROWS, 'rows.csv', headers)).body.id;
  const task_definition = { task: 'text-classification' };
  const made = await ask('POST', '/api/v1/experiments/', { name: 'e', dataset, task_definition }, headers);
  const workflow = await ask(
    'POST',
    '/api/v1/workflows/',
    { name: 'w', experiment_id: made.body.id, provider: 'openai', model: 'dear' },
    headers,
  );
  await doJobs(context.jobs, await listen());
  const { body } = await ask('GET', `/api/v1/workflows/${workflow.body.id}`, undefined, MASTER);
  expect(body.error).toContain(
    "The budget is too small for the request to the model openai:dear: User 'poor' has a budget of",
  );
  expect(body.error).not.toContain('credential');
});
