import { once } from 'node:events';
import OpenAI from 'openai';
import { WebSocket } from 'undici';
import { expect } from 'vitest';
import { builtExecutable } from '../../helpers/built.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, PROVIDER_KEY, providersFor } from './config.ts';
import { useGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = useGateways();
const openai = await startFixture('openai');
const CHAT = '/v1/chat/completions';
const FROM_REQUESTS = '/api/v1/datasets/from-requests';
const NAMES = 'Anna Smith Peter Weber met in Paris';

verifiesGateway('gateway:feedback', async (arm) => {
  const api = await start(arm, {
    config: { providers: providersFor({ openai }), cache: { scope: 'key' }, feedback: { enabled: true } },
  });
  const key = await createKey(api, { user_id: 'ada' });
  const [ada, eve] = [asKey(key), asKey(await createKey(api, { user_id: 'eve' }))];
  const idOf = async (body: object): Promise<string> => {
    const { headers } = await api.post(CHAT, body, ada);
    return headers.get('x-request-id') ?? '';
  };
  const client = new OpenAI({ apiKey: key, baseURL: `${api.url}/v1`, maxRetries: 0 });
  const ofClient = await client.chat.completions
    .create({ model: 'openai:good', messages: [{ role: 'user', content: 'Hello' }] })
    .withResponse();
  const ids = [
    await idOf(chatWith('openai:good', { temperature: 0 })),
    // The second one is cached.
    await idOf(chatWith('openai:good', { temperature: 0 })),
    await idOf(chatWith('openai:good', { stream: true })),
    await idOf(chatWith('openai:fails-400')),
    ofClient.response.headers.get('x-request-id') ?? '',
  ];
  expect(new Set(ids).size).toBe(5);
  for (const request_id of ids) {
    const body = { request_id, thumb: 'down', score: -1.5, label: 'wrong', text: `See ${PROVIDER_KEY}` };
    const given = await api.post('/v1/feedback', body, ada);
    expect([given.status, given.body]).toMatchObject([
      200,
      { request_id, author: 'ada', text: 'See [redacted]' },
    ]);
    expect((await api.post('/v1/feedback', body, eve)).status).toBe(404);
  }
  expect((await api.get('/v1/feedback?thumb=down', ada)).body.total).toBe(5);
  expect((await api.get('/v1/feedback', eve)).body).toEqual({ total: 0, items: [] });
  const { body: rates } = await api.get('/v1/usage/feedback', AS_MASTER);
  expect(rates).toContainEqual({
    model: 'openai:good',
    feedback: 4,
    up: 0,
    down: 4,
    up_rate: 0,
    scores: 4,
    mean_score: -1.5,
  });
});

verifiesGateway('gateway:feedback:realtime', async (arm) => {
  const api = await start(arm, {
    config: { providers: providersFor({ openai }), feedback: { enabled: true } },
  });
  const [ada, eve] = [
    asKey(await createKey(api, { user_id: 'ada' })),
    asKey(await createKey(api, { user_id: 'eve' })),
  ];
  const request_id = 'session-of-ada';
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/v1/realtime?model=openai:gpt-realtime`, {
    headers: { ...ada, 'x-request-id': request_id },
  });
  const ended = (): Promise<void> =>
    new Promise((resolve) =>
      socket.addEventListener('message', ({ data }) => {
        if (String(data).includes('"response.done"')) resolve();
      }),
    );
  await once(socket, 'open');
  // A session has one ID, which the newest response has as well.
  for (const thumb of ['up', 'down']) {
    const done = ended();
    socket.send('{"type":"response.create"}');
    await done;
    // A response is billed after its last event.
    await expect
      .poll(async () => (await api.post('/v1/feedback', { request_id, thumb }, ada)).body, {
        timeout: 60_000,
      })
      .toMatchObject({ thumb, endpoint: '/v1/realtime', user_id: 'ada', model: 'openai:gpt-realtime' });
  }
  expect((await api.post('/v1/feedback', { request_id, thumb: 'up' }, eve)).status).toBe(404);
  const closed = once(socket, 'close');
  socket.close();
  await closed;
  expect((await api.get('/v1/feedback', ada)).body).toMatchObject({ total: 1, items: [{ thumb: 'down' }] });
});

verifiesGateway('gateway:dataset-from-requests', async (arm) => {
  const config = {
    providers: providersFor({ openai }),
    encoders: { ner: { path: builtExecutable('ner') }, similar: { path: builtExecutable('embedder') } },
    guardrails: {
      profiles: { pii: { encoder: 'ner', entities: ['PER', 'LOC'], threshold: 0.8, timeout: '60s' } },
    },
    prompt_log: { enabled: true },
    feedback: { enabled: true },
  };
  const api = await start(arm, { config });
  const ada = asKey(await createKey(api, { user_id: 'ada' }));
  for (const [id, content] of [
    ['r-1', NAMES],
    ['r-2', NAMES],
    ['r-3', 'Write a poem about rivers, please.'],
  ]) {
    const body = chatWith('openai:good', { messages: [{ role: 'user', content }] });
    expect(
      (await api.post(CHAT, body, { ...ada, 'x-request-id': id ?? '', 'x-gateway-tags': 'app' })).status,
    ).toBe(200);
  }
  await api.post('/v1/feedback', { request_id: 'r-2', thumb: 'up', text: `${NAMES}.` }, ada);
  await expect
    .poll(async () => (await api.get('/v1/admin/prompts?tag=app', AS_MASTER)).body.total, { timeout: 60_000 })
    .toBe(3);
  const wanted = {
    filter: { tag: 'app' },
    redact: ['pii'],
    deduplicate: { model: 'similar', threshold: 0.999 },
  };
  const dry = await api.post(FROM_REQUESTS, { ...wanted, dry_run: true }, AS_MASTER);
  expect([dry.status, dry.body.dataset, dry.body.counts.matched]).toEqual([200, null, 3]);
  expect(dry.body.counts.duplicates).toBeGreaterThanOrEqual(1);
  const made = await api.post(FROM_REQUESTS, { ...wanted, require_ground_truth: true }, AS_MASTER);
  expect([made.status, made.body.counts.rows]).toEqual([201, 1]);
  const { download_urls: urls } = (
    await api.get(`/api/v1/datasets/${made.body.dataset.id}/download?extension=jsonl`, AS_MASTER)
  ).body;
  const { pathname, search } = new URL(urls[0]);
  const { text } = await api.get(`${pathname}${search}`, {});
  const hidden = '[PER_1] [PER_2] met in [LOC_1]';
  expect(JSON.parse(text)).toMatchObject({
    examples: hidden,
    ground_truth: expect.stringContaining(hidden),
    messages: [{ role: 'user', content: hidden }],
    text: `${hidden}.`,
    request_id: 'r-2',
  });
  expect(text).not.toMatch(/Anna|Smith|Weber|Paris/);
  expect((await api.post(FROM_REQUESTS, wanted, ada)).status).toBe(401);
});
