import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { dollarsOf } from '#gateway/shared/money.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import type { RunningProcess } from '../started-processes.ts';
import { verifiesOnce } from '../verifies.ts';
import { writeConfig } from './arms.ts';
import { beginStream, chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, PROVIDER_KEY, providersFor } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';
import { askOnce, COST, PRICING } from './spending-clients.ts';

const THREADS = ['--threads', '3'];
/** So many connections reach all threads: the probability that a thread gets none is below 1 in 10 million. */
const MANY = 40;
const PATIENCE_MS = 20_000;

const { start, launch, run } = useGatewayProcesses();
const openai = await startFixture('openai');
const files = { config: { providers: providersFor({ openai }), pricing: PRICING } };

/** Sends the same request on many connections; the statuses and their number. */
async function askAll(
  { url }: RunningProcess,
  model: string,
  headers: Record<string, string>,
  count = MANY,
): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const ask = async (): Promise<void> => {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(chatWith(model)),
    });
    await answer.arrayBuffer();
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: count }, ask));
  return statuses;
}

verifiesOnce('gateway-process:threads-budget', async () => {
  const gateway = await start(files, THREADS);
  const { body } = await gateway.post('/v1/budgets', { max_budget: dollarsOf(COST * 10n) }, AS_MASTER);
  await gateway.post('/v1/users', { user_id: 'poor', budget_id: body.budget_id }, AS_MASTER);
  const key = await createKey(gateway, { user_id: 'poor' });
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, at) => askOnce(gateway.url, key, at % 2 === 0)),
  );
  let answered = answers.filter(({ status }) => status === 200).length;
  // Requests whose estimates are reserved for others are rejected, and can be sent again.
  for (let status = 200; status === 200;) {
    ({ status } = await askOnce(gateway.url, key));
    if (status === 200) answered += 1;
  }
  expect(answered).toBe(10);
  const rows = (await gateway.get('/v1/users/poor/usage?limit=1000', AS_MASTER)).body as unknown as {
    status: string;
  }[];
  expect(rows.filter(({ status }) => status === 'success')).toHaveLength(10);
  const { body: user } = await gateway.get('/v1/users/poor', AS_MASTER);
  expect(user).toMatchObject({ spend: dollarsOf(COST * 10n), reserved: 0 });
});

verifiesOnce('gateway-process:threads-whole', async () => {
  const gateway = await start(files, THREADS);
  const key = asKey(await createKey(gateway));
  expect(await askAll(gateway, 'openai:good', key)).toEqual({ 200: MANY });
  const { text } = await gateway.get('/metrics');
  expect(text).toMatch(
    new RegExp(
      `gateway_request_duration_seconds_count\\{method="POST",endpoint="/v1/chat/completions"\\} ${MANY}\n`,
    ),
  );
  expect(text).toMatch(/\nprocess_start_time_seconds \d/);

  // One connection's failures open the breaker for the connections of all threads.
  const failing = 'openai:fails-500';
  for (let count = 0; count < 12; count += 1)
    await gateway.post('/v1/chat/completions', chatWith(failing), key);
  // Every thread answers this request, after it has received what was reported before.
  const states = async (): Promise<string> => (await gateway.get('/v1/provider-states', AS_MASTER)).text;
  await expect.poll(states, { timeout: PATIENCE_MS }).toContain('"open_for_users":["');
  const { requests: before } = await openai.counts();
  await askAll(gateway, failing, key);
  expect((await openai.counts())['requests']).toBe(before);

  const streams = await Promise.all(
    Array.from({ length: MANY }, () => beginStream(gateway, 'openai:stall', key)),
  );
  const live = (await gateway.get('/v1/requests/live', AS_MASTER)).body as unknown as object[];
  expect(live).toHaveLength(MANY);
  gateway.child.kill('SIGTERM');
  await gateway.said(/finishing accepted requests/);
  await openai.release();
  for (const { rest } of streams) expect(await rest).toMatch(/data: \[DONE\]\n\n$/);
  expect(await gateway.ended).toBe(0);
});

verifiesOnce('gateway-process:threads-changes', async () => {
  const gateway = await start(files, THREADS);
  const secret = await createKey(gateway, { key_name: 'first' });
  const key = asKey(secret);
  // Every thread has cached the key.
  expect(await askAll(gateway, 'openai:good', key)).toEqual({ 200: MANY });
  // Threads reread the database after a second, so a slow change alone would not show that they were notified.
  for (const name of ['first', 'second', 'third']) {
    const provider = { name, type: 'openai', api_base: `${openai.url}/v1`, api_key: PROVIDER_KEY };
    const added = await gateway.post('/v1/providers', provider, AS_MASTER);
    expect([added.status, added.text]).toEqual([200, expect.any(String)]);
    expect(await askAll(gateway, `${name}:good`, key)).toEqual({ 200: MANY });
  }

  const aliases = { mine: 'openai:good' };
  writeConfig(gateway.folder, { ...files.config, aliases });
  expect(await askAll(gateway, 'mine', key)).toEqual({ 400: MANY });
  expect((await gateway.post('/v1/admin/reload', {}, AS_MASTER)).status).toBe(200);
  expect(await askAll(gateway, 'mine', key)).toEqual({ 200: MANY });

  const keys = (await gateway.get('/v1/keys', AS_MASTER)).body as unknown as {
    id: string;
    key_name: string;
  }[];
  const id = keys.find(({ key_name: name }) => name === 'first')?.id;
  expect((await gateway.ask(`/v1/keys/${id}`, { method: 'DELETE', headers: AS_MASTER })).status).toBe(204);
  expect(await askAll(gateway, 'openai:good', key)).toEqual({ 401: MANY });
});

verifiesOnce('gateway-process:threads-provider-limit', async () => {
  const [name, provider] = Object.entries(providersFor({ openai }))[0] ?? ['', {}];
  const config = { providers: { [name]: { ...provider, max_connections: 5 } }, pricing: PRICING };
  const gateway = await start({ config }, THREADS);
  const key = asKey(await createKey(gateway));
  const { requests: before = 0 } = await openai.counts();
  const answers = askAll(gateway, 'openai:silent', key, 20);
  const sent = async (): Promise<number> => ((await openai.counts())['requests'] ?? 0) - before;
  await expect.poll(sent, { timeout: PATIENCE_MS }).toBe(5);
  await sleep(200);
  expect(await sent()).toBe(5);
  const releasing = setInterval(() => void openai.release(), 20);
  expect(await answers).toEqual({ 200: 20 });
  clearInterval(releasing);
});

verifiesOnce('gateway-process:threads-refused', async () => {
  for (const value of ['0', '1.5', 'many', '257']) {
    const refused = run(['serve', '--threads', value]);
    expect(await refused.ended).toBe(2);
    expect(refused.stderr()).toContain(
      `--threads: ${JSON.stringify(value)} is not a whole number from 1 to 256, or auto.`,
    );
  }
  const first = await start(files, THREADS);
  const { port } = new URL(first.url);
  const second = launch(first.folder, ['--port', port, '--data-dir', `${first.folder}/other`, ...THREADS]);
  expect(await second.ended).toBe(1);
  expect(second.stderr()).toContain(
    `Cannot listen on 127.0.0.1:${port}: the port is in use. Choose another port with --port.`,
  );
  expect((await first.get('/health')).status).toBe(200);
});

verifiesOnce('gateway-process:threads-feedback', async () => {
  const config = { ...files.config, feedback: { enabled: true }, prompt_log: { enabled: true } };
  const gateway = await start({ config }, ['--threads', '2']);
  const ada = asKey(await createKey(gateway, { user_id: 'ada' }));
  // Each request has its own connection, so that the feedback often reaches another thread than the request.
  const send = async (path: string, body: object, id = ''): Promise<Response> =>
    await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { ...ada, 'content-type': 'application/json', connection: 'close', 'x-request-id': id },
      body: JSON.stringify(body),
    });
  const judge = async (at: number): Promise<number> => {
    const body = chatWith('openai:good', { stream: at % 2 === 0 });
    const answer = await send('/v1/chat/completions', body, `request-${at}`);
    await answer.arrayBuffer();
    const given = await send('/v1/feedback', { request_id: `request-${at}`, thumb: 'down' });
    await given.arrayBuffer();
    return given.status;
  };
  const statuses = await Promise.all(Array.from({ length: MANY }, (_, at) => judge(at)));
  expect(statuses).toEqual(statuses.map(() => 200));
  // The same author on all threads: feedback that is sent again replaces the first one.
  await Promise.all(
    Array.from({ length: MANY }, () => send('/v1/feedback', { request_id: 'request-1', thumb: 'up' })),
  );
  const { body: rates } = await gateway.get('/v1/usage/feedback', AS_MASTER);
  expect(rates).toMatchObject([{ model: 'openai:good', feedback: MANY, up: 1, down: MANY - 1 }]);
  const stored = (): Promise<unknown> =>
    gateway.get('/v1/admin/prompts?thumb=down', AS_MASTER).then(({ body }) => body.total);
  await expect.poll(stored, { timeout: PATIENCE_MS }).toBe(MANY - 1);
});
