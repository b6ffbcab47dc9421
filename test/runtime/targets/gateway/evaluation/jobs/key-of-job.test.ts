import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { startFixture } from '../../fixture-provider.ts';
import { instanceOf, MASTER, priced, runGateway } from '../../requests/completions/running-gateway.ts';

// Jobs run in separate processes, as in production, and call the gateway over HTTP.
const fixture = await startFixture('openai');
const gateway = await runGateway({
  models: {
    providers: [instanceOf('openai', fixture)],
    aliases: [{ name: 'fast', targets: [{ model: 'openai:good' }] }],
    pricing: [priced('openai:good', 1, 1000), priced('openai:other', 0, 0), priced('openai:silent', 0, 0)],
    prompts: { isDefault: false, maxCharacters: 65_536, patterns: [] },
  },
});
afterAll(() => gateway.stop());

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests inspect its structure.
  readonly body: any;
}

async function ask(secret: string, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const sent = body && { body: JSON.stringify(body) };
  const response = await fetch(gateway.url + path, { method, headers, ...sent });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

async function dataset(secret: string, rows: number): Promise<string> {
  const form = new FormData();
  const lines = ['examples', ...Array.from({ length: rows }, (_, at) => `text ${at}`)];
  form.set('dataset', new Blob([lines.join('\n')]), 'rows.csv');
  form.set('format', 'job');
  const headers = { authorization: `Bearer ${secret}` };
  const response = await fetch(`${gateway.url}/api/v1/datasets/`, { method: 'POST', body: form, headers });
  return ((await response.json()) as { readonly id: string }).id;
}

/** Starts a job with this many rows. */
async function infer(secret: string, rows: number, model = 'openai:good'): Promise<Answer> {
  const config = { job_type: 'inference', provider: 'gateway', model, max_concurrency: 4 };
  const task = { task: 'text-generation' };
  return await ask(secret, 'POST', '/api/v1/jobs/inference', {
    name: 'job',
    dataset: await dataset(secret, rows),
    job_config: {
      ...config,
      task_definition: task,
      system_prompt: 'Answer.',
      generation_config: { max_new_tokens: 20 },
    },
  });
}

async function until(id: string, done: (job: Answer['body']) => boolean): Promise<Answer['body']> {
  for (;;) {
    const { body } = await ask(MASTER, 'GET', `/api/v1/jobs/${id}`);
    if (done(body)) return body;
    await fixture.release();
    await sleep(50);
  }
}
/** Waits until a job has finished, and releases requests that are still pending at the model. */
const ended = (id: string) => until(id, ({ status }) => ['succeeded', 'failed', 'stopped'].includes(status));

interface NewKey {
  readonly id: string;
  readonly key: string;
}
const newKey = async (fields: object): Promise<NewKey> =>
  (await gateway.admin('POST', '/v1/keys', fields)) as unknown as NewKey;

test("a job spends its key's budget, appears in the usage, and follows its key's prompt logging", async () => {
  const { id, key } = await newKey({ user_id: 'ann', budget: { max_budget: 10 }, log_prompts: true });
  const { body } = await infer(key, 3);
  expect(await ended(body.id)).toMatchObject({ status: 'succeeded' });
  const usage = await gateway.admin('GET', '/v1/usage?user_id=ann&group_by=user,key');
  expect(usage).toMatchObject({ groups: [{ group: { user: 'ann', key: id }, requests: 3 }] });
  const found = await gateway.admin('GET', `/v1/keys/${id}`);
  expect(found['spend']).toBeGreaterThan(0);
  expect(await gateway.admin('GET', '/v1/admin/prompts')).toMatchObject({ total: 3 });
});

test("a job fails if a request exceeds its key's budget", async () => {
  const { id, key } = await newKey({ user_id: 'frank', budget: { max_budget: 0.0001 } });
  const { body } = await infer(key, 20);
  expect(await ended(body.id)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('has a budget of $0.0001'),
  });
  expect(await gateway.admin('GET', `/v1/keys/${id}`)).toMatchObject({ spend: 0 });
});

test("a job waits for its key's rate limit", async () => {
  const { key } = await newKey({ user_id: 'rita', rpm: 2 });
  const { body } = await infer(key, 3);
  // The third request is rejected, and the job neither fails nor continues before the minute is over.
  await expect.poll(() => gateway.logged.join('')).toContain('"status":429');
  const used = await gateway.usage('rita');
  expect(used.map(({ status }) => status)).toEqual(['success', 'success']);
  const { body: waiting } = await ask(MASTER, 'GET', `/api/v1/jobs/${body.id}`);
  expect(waiting).toMatchObject({ status: 'running', failed_rows: 0, error: null });
  await ask(key, 'POST', `/api/v1/jobs/${body.id}/cancel`);
});

test("a job can use only its key's allowed models, and stops if its model is no longer allowed", async () => {
  const { id, key } = await newKey({ user_id: 'moe', allowed_models: ['openai:silent', 'fast'] });
  expect(await infer(key, 1, 'openai:other')).toMatchObject({ status: 403 });
  const { body } = await infer(key, 4, 'openai:silent');
  await fixture.happened('waiting', 'silent');
  await gateway.admin('PATCH', `/v1/keys/${id}`, { allowed_models: ['fast'] });
  expect(await ended(body.id)).toMatchObject({
    status: 'stopped',
    error: expect.stringContaining("Model 'openai:silent' is not allowed for this API key"),
  });
});

test.each([
  [
    'disabled',
    (id: string) => gateway.admin('PATCH', `/v1/keys/${id}`, { is_active: false }),
    'API key is inactive',
  ],
  ['deleted', (id: string) => gateway.admin('DELETE', `/v1/keys/${id}`), 'that started this job was deleted'],
  [
    'expired',
    async (id: string) => {
      const at = Date.now() + 500;
      await gateway.admin('PATCH', `/v1/keys/${id}`, { expires_at: new Date(at).toISOString() });
      await sleep(at + 1 - Date.now());
    },
    'API key has expired',
  ],
])('a job stops when its key is %s', async (_how, revoke, why) => {
  const { id, key } = await newKey({ user_id: 'zoe' });
  const { body } = await infer(key, 4, 'openai:silent');
  await fixture.happened('waiting', 'silent');
  const waiting = await infer(key, 4, 'openai:silent');
  await revoke(id);
  for (const job of [body, waiting.body])
    expect(await ended(job.id)).toMatchObject({ status: 'stopped', error: expect.stringContaining(why) });
  // The master key cannot resume a job that the job's own key cannot pay for.
  const retried = await ask(MASTER, 'POST', `/api/v1/jobs/${body.id}/retry`);
  expect([401, 403]).toContain(retried.status);
});

test('a job continues after its key is rotated', async () => {
  const { id, key } = await newKey({ user_id: 'rob' });
  const { body } = await infer(key, 3);
  const rotated = await gateway.admin('POST', `/v1/keys/${id}/rotate`, { grace_seconds: 0 });
  expect(rotated['key']).not.toBe(key);
  expect(await ended(body.id)).toMatchObject({ status: 'succeeded' });
});

test("a former team member's jobs cannot spend the team's money, neither by retry nor while queued", async () => {
  await gateway.admin('POST', '/v1/teams', { team_id: 'rich' });
  const team = await newKey({ user_id: 'leo', team_id: 'rich' });
  const { body } = await infer(team.key, 20, 'openai:silent');
  await fixture.happened('waiting', 'silent');
  expect(await ask(team.key, 'POST', `/api/v1/jobs/${body.id}/cancel`)).toMatchObject({ status: 200 });
  const left = await infer(team.key, 2, 'openai:silent');
  await gateway.admin('DELETE', '/v1/teams/rich/members/leo');
  expect(await ended(left.body.id)).toMatchObject({ status: 'stopped' });
  const own = await newKey({ user_id: 'leo' });
  const retried = await ask(own.key, 'POST', `/api/v1/jobs/${body.id}/retry`);
  expect(retried.status).toBeGreaterThanOrEqual(400);
  // The team pays for requests sent before.
  const { totals } = (await gateway.admin('GET', '/v1/usage?team_id=rich')) as {
    totals: { requests: number };
  };
  expect(totals.requests).toBeLessThanOrEqual(4);
});
