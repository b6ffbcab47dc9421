import { afterAll, expect, test } from 'vitest';
import { request } from 'node:http';
import { WebSocket } from 'undici';
import { startFixture } from '../../fixture-provider.ts';
import { instanceOf, runGateway } from '../completions/running-gateway.ts';

const fixture = await startFixture('openai');
const options = { models: { providers: [instanceOf('openai', fixture, { listedAs: 'openai' })] } };
const gateway = await runGateway(options);
afterAll(() => gateway.stop());
await gateway.user('ann');
const secret = await gateway.key({ user_id: 'ann' });

type Json = Readonly<Record<string, unknown>>;

interface Refusal {
  readonly error: { readonly code: string };
}

interface Session {
  readonly socket: WebSocket;
  /** The next event. */
  readonly next: () => Promise<Json>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly send: (event: object) => void;
}

function connect(
  model: string,
  {
    key = secret,
    url = gateway.url,
    protocols = [],
    headers = {},
  }: Partial<{
    key: string;
    url: string;
    protocols: string[];
    headers: Record<string, string>;
  }> = {},
): Session {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=${model}`, {
    protocols,
    headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers },
  });
  const events: Json[] = [];
  const waiting: ((event: Json) => void)[] = [];
  socket.addEventListener('message', ({ data }) => {
    const event = JSON.parse(String(data)) as Json;
    const take = waiting.shift();
    if (take) take(event);
    else events.push(event);
  });
  return {
    socket,
    next: () => {
      const event = events.shift();
      return event ? Promise.resolve(event) : new Promise((take) => waiting.push(take));
    },
    closed: new Promise((resolve) =>
      socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason })),
    ),
    send: (event) => socket.send(JSON.stringify(event)),
  };
}
const rowsOf = async (model: string) =>
  (await gateway.usage('ann')).filter((row) => row.model === `openai:${model}`);
const upTo = async ({ next }: Session, type: string) => {
  for (let event = await next(); ; event = await next()) if (event['type'] === type) return event;
};

test('a session is relayed, and each of its responses is billed', async () => {
  const session = connect('openai:gpt-realtime', { headers: { 'openai-beta': 'realtime=v1' } });
  expect(await session.next()).toMatchObject({
    type: 'session.created',
    session: { model: 'gpt-realtime', beta: 'realtime=v1' },
  });
  session.send({ type: 'session.update', session: { instructions: 'Be kind.' } });
  expect(await session.next()).toMatchObject({
    type: 'session.updated',
    session: { instructions: 'Be kind.' },
  });
  for (const event of [
    { type: 'session.update', session: { model: 'gpt-cheap' } },
    { type: 'session.update', model: 'gpt-cheap' },
    { type: 'response.create', response: { model: 'gpt-cheap' } },
    { type: 'response.create', response: { modalities: ['text'], fallbacks: ['gpt-cheap'] } },
    { type: 'transcription_session.update', session: { models: ['gpt-cheap'] } },
    { type: 'of.a.later.version', options: { model: 'gpt-cheap' } },
  ]) {
    session.send(event);
    expect(await session.next()).toMatchObject({ type: 'error', error: { code: 'unsupported' } });
  }
  session.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(100_000).toString('base64') });
  expect(await session.next()).toMatchObject({ bytes: 100_000 });
  for (const number of [1, 2]) {
    session.send({ type: 'response.create' });
    await upTo(session, 'response.done');
    await expect.poll(() => rowsOf('gpt-realtime')).toHaveLength(number);
  }
  session.socket.close();
  await session.closed;
  // 30 tokens of text at 4, 50 of audio at 32, 20 cached at 0.4; 10 of text at 16 and 40 of audio at 64 dollars per million.
  const cost = (30 * 4 + 50 * 32 + 20 * 0.4 + 10 * 16 + 40 * 64) / 1e6;
  expect(await rowsOf('gpt-realtime')).toMatchObject([
    { endpoint: '/v1/realtime', prompt_tokens: 100, completion_tokens: 50, cost, status: 'success' },
    { cost },
  ]);
});

test('a browser sends its key as a subprotocol, and invalid requests are rejected before connecting', async () => {
  const browser = connect('openai:gpt-realtime', {
    key: '',
    protocols: ['realtime', `openai-insecure-api-key.${secret}`, 'openai-beta.realtime-v1'],
  });
  expect(await browser.next()).toMatchObject({ session: { beta: 'realtime=v1' } });
  expect(browser.socket.protocol).toBe('realtime');
  browser.socket.close();
  const get = async (query: string, key = secret): Promise<[number, string]> => {
    const { status, body } = await plainUpgrade(`${gateway.url}/v1/realtime${query}`, key);
    return [status, body.error.code];
  };
  expect(await get('?model=openai:gpt-realtime', 'wrong')).toEqual([401, 'invalid_key']);
  expect(await get('')).toEqual([422, 'invalid_request']);
  expect(await get('?model=nobody:x')).toEqual([400, 'model_not_found']);
  expect(await get('?model=openai:refused')).toEqual([404, 'model_not_found']);
});

test("ambiguous events and events that reference another user's objects are not forwarded", async () => {
  await gateway.user('bob');
  const bob = await gateway.key({ user_id: 'bob' });
  const form = new FormData();
  form.set('purpose', 'user_data');
  form.set('file', new File(['secret'], 'a.txt'));
  const uploaded = await fetch(`${gateway.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bob}` },
    body: form,
  });
  const { id } = (await uploaded.json()) as { id: string };
  expect([uploaded.status, id]).toEqual([200, expect.any(String)]);
  const session = connect('openai:gpt-realtime');
  await session.next();
  const refused = async (event: string | Buffer, code: string) => {
    session.socket.send(event);
    expect(await session.next()).toMatchObject({ type: 'error', error: { code } });
  };
  const update = String.raw`{"type":"session.update","session":{"instructions":"x","mo\u0064el":"gpt-cheap"}}`;
  await refused(update, 'unsupported');
  await refused(Buffer.from(update), 'invalid_request');
  await refused('{"type":"session.update","session":{"model":"gpt-cheap"},"session":{}}', 'invalid_request');
  await refused('{"type":"session.update","type":"x","session":{"model":"gpt-cheap"}}', 'invalid_request');
  await refused('{"type":"session.update","x":{"a":1,"a":2}}', 'invalid_request');
  await refused('no JSON', 'invalid_request');
  const item = { type: 'message', role: 'user', content: [{ type: 'input_file', file_id: id }] };
  const foreign = JSON.stringify({ type: 'conversation.item.create', previous_item_id: 'item_1', item });
  // An event that arrives during a lookup keeps its order.
  session.socket.send(foreign);
  session.send({ type: 'session.update', session: { instructions: 'Be kind.' } });
  expect(await session.next()).toMatchObject({ type: 'error', error: { code: 'file_not_found' } });
  expect(await session.next()).toMatchObject({ type: 'session.updated' });
  session.socket.close();
  await session.closed;
});

test('a session is closed when its budget is exhausted', async () => {
  // Enough to reserve one response and to pay for one.
  const key = await gateway.key({ user_id: 'ann', budget: { max_budget: 0.133 } });
  const session = connect('openai:gpt-realtime', { key });
  await session.next();
  session.send({ type: 'response.create' });
  expect(await upTo(session, 'error')).toMatchObject({ error: { code: 'estimate_exceeds_budget' } });
  expect(await session.closed).toMatchObject({ code: 1008 });
  const refused = await plainUpgrade(`${gateway.url}/v1/realtime?model=openai:gpt-realtime`, key);
  expect([refused.status, refused.body.error.code]).toEqual([403, 'estimate_exceeds_budget']);
});

test('unfinished responses are billed by estimate when the client disconnects', async () => {
  const session = connect('openai:hangs');
  await session.next();
  session.send({ type: 'response.create' });
  await upTo(session, 'response.output_text.delta');
  await session.next();
  session.socket.close();
  await expect
    .poll(() => rowsOf('hangs'))
    .toMatchObject([{ usage_estimated: true, completion_tokens: 3, status: 'cancelled' }]);
});

test.each([
  ['disabled', { is_active: false }, 'inactive_key'],
  ['not allowed to use the model', { allowed_models: ['other:*'] }, 'model_not_allowed'],
])('a session is closed when its key is %s', async (_how, changes, code) => {
  const created = await gateway.admin('POST', '/v1/keys', { user_id: 'ann' });
  const session = connect('openai:gpt-realtime', { key: String(created['key']) });
  await session.next();
  await gateway.admin('PATCH', `/v1/keys/${String(created['id'])}`, changes);
  expect(await upTo(session, 'error')).toMatchObject({ error: { code } });
  expect(await session.closed).toMatchObject({ code: 1008 });
});

test('session texts are stored without audio for keys with logging', async () => {
  const created = await gateway.admin('POST', '/v1/keys', { user_id: 'ann', log_prompts: true });
  const session = connect('openai:gpt-realtime', { key: String(created['key']) });
  await session.next();
  session.send({ type: 'session.update', session: { instructions: 'Be kind.' } });
  session.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(1000).toString('base64') });
  session.send({ type: 'response.create' });
  await upTo(session, 'response.done');
  session.socket.close();
  await session.closed;
  const path = `/v1/admin/prompts?api_key_id=${String(created['id'])}`;
  await expect.poll(() => gateway.admin('GET', path)).toMatchObject({ total: 1 });
  const { items } = (await gateway.admin('GET', path)) as { items: { request_id: string }[] };
  const [stored] = (await gateway.admin(
    'GET',
    `/v1/admin/prompts/${items[0]?.request_id}`,
  )) as unknown as readonly {
    readonly request: string;
    readonly answer: string;
    readonly endpoint: string;
  }[];
  expect(stored).toMatchObject({ endpoint: '/v1/realtime', answer: 'Hello there' });
  expect(stored?.request).toContain('Be kind.');
  expect(stored?.request).not.toContain('input_audio_buffer');
});

test('a gateway closes its sessions on shutdown', async () => {
  const other = await runGateway({ ...options, server: { shutdownMs: 400 } });
  await other.user('bob');
  const session = connect('openai:gpt-realtime', {
    key: await other.key({ user_id: 'bob' }),
    url: other.url,
  });
  await session.next();
  await other.stop();
  expect(await session.closed).toMatchObject({ code: 1001 });
});

/** An upgrade with the response of a server that rejects it. */
async function plainUpgrade(url: string, key: string): Promise<{ status: number; body: Refusal }> {
  return await new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    request(url, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Refusal }),
      );
    })
      .once('upgrade', () => reject(new Error('accepted')))
      .once('error', reject)
      .end();
  });
}
