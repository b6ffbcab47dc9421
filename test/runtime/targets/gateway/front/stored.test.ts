import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Provider } from '../../../../../runtime/targets/gateway/ask/providers/provider.ts';
import { startFixture } from '../fixture-provider.ts';
import { providerOf } from '../test-provider.ts';
import { openGateway, type OpenGateway } from './open-gateway.ts';

const [fixture, other] = [await startFixture('openai'), await startFixture('openai')];
const dialect = { hasResponses: true };
const providers: Provider[] = [
  providerOf('openai', fixture, { dialect, listedAs: 'openai' }),
  providerOf('openai', other, { name: 'other', dialect, listedAs: 'groq' }),
];
let gateway: OpenGateway;
const keys: Record<string, string> = {};
beforeAll(async () => {
  gateway = await openGateway({
    providers,
    aliases: [{ name: 'fast', targets: [{ model: 'openai:gpt-4o-mini' }] }],
  });
  for (const [name, more] of Object.entries({
    ann: {},
    bob: {},
    poor: { budget: { max_budget: 0.000_001 } },
    groq: { allowed_models: ['other:*'] },
  })) {
    const { body } = await gateway.ask('POST', '/v1/keys', { user_id: name, ...more });
    keys[name] = body.key;
  }
});
afterAll(() => gateway.close());

const as = (name: string): Record<string, string> => ({ 'X-Gateway-Key': `Bearer ${keys[name]}` });
const finish = async (): Promise<void> => void (await fetch(`${fixture.url}/finish`, { method: 'POST' }));
const usageOf = async (user: string) =>
  (await gateway.ask('GET', `/v1/users/${user}/usage`)).body as Readonly<Record<string, unknown>>[];
const reservedOf = async (user: string) => (await gateway.context.state.identity.users.get(user)).reserved;

const lineOf = (id: string, model = 'fast', url = '/v1/chat/completions'): string =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url,
    body: { model, max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] },
  });
async function upload(
  name: string,
  text: string,
  { purpose = 'batch', headers = {} }: { purpose?: string; headers?: Record<string, string> } = {},
) {
  const form = new FormData();
  form.set('file', new File([text], 'requests.jsonl'));
  form.set('purpose', purpose);
  const response = await gateway.app.request('/v1/files', {
    method: 'POST',
    headers: { ...as(name), ...headers },
    body: form,
  });
  return { status: response.status, body: (await response.json()) as Record<string, any> };
}
const batchOf = async (name: string, file: string, more: object = {}) =>
  await gateway.ask(
    'POST',
    '/v1/batches',
    { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h', ...more },
    as(name),
  );

describe('files', () => {
  test('belong to the user that uploaded them', async () => {
    const { body: file } = await upload('ann', 'notes', {
      purpose: 'user_data',
      headers: { 'X-Gateway-Provider': 'openai' },
    });
    expect(file).toMatchObject({
      object: 'file',
      bytes: 5,
      filename: 'requests.jsonl',
      purpose: 'user_data',
    });
    const { id } = file as { id: string };
    expect((await gateway.ask('GET', `/v1/files/${id}`, undefined, as('ann'))).body).toEqual(file);
    const content = await gateway.ask('GET', `/v1/files/${id}/content`, undefined, as('ann'));
    expect([content.text, content.headers.get('content-type')]).toEqual([
      'notes',
      'application/octet-stream',
    ]);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/content'],
      ['DELETE', ''],
    ] as const) {
      const refused = await gateway.ask(method, `/v1/files/${id}${path}`, undefined, as('bob'));
      expect([refused.status, refused.body.error.code]).toEqual([404, 'file_not_found']);
    }
    const inChat = await gateway.ask(
      'POST',
      '/v1/chat/completions',
      {
        model: 'openai:good',
        messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: id } }] }],
      },
      as('bob'),
    );
    expect([inChat.status, inChat.body.error.code]).toEqual([404, 'file_not_found']);
    const list = async (name: string) =>
      (await gateway.ask('GET', '/v1/files?purpose=user_data', undefined, as(name))).body.data;
    expect([await list('ann'), await list('bob')]).toEqual([[file], []]);
    // The master key sees all.
    expect((await gateway.ask('GET', `/v1/files/${id}`)).status).toBe(200);
    expect((await gateway.ask('DELETE', `/v1/files/${id}`, undefined, as('ann'))).body).toMatchObject({
      deleted: true,
    });
    expect((await gateway.ask('GET', `/v1/files/${id}`, undefined, as('ann'))).status).toBe(404);
  });

  test('the provider is the one of the header, of the models, or the only one that the key can use', async () => {
    expect((await upload('ann', 'x', { purpose: 'user_data' })).body).toMatchObject({
      error: { message: expect.stringContaining('openai, other') },
    });
    expect((await upload('groq', 'x', { purpose: 'user_data' })).status).toBe(200);
    expect(await upload('groq', 'x', { headers: { 'custom-llm-provider': 'openai' } })).toMatchObject({
      status: 403,
    });
    expect((await upload('ann', 'x', { headers: { 'X-Gateway-Provider': 'nobody' } })).status).toBe(400);
    expect((await upload('ann', lineOf('1', 'other:whatever'))).status).toBe(200);
    expect(JSON.parse((await other.last()).body.split('\r\n\r\n')[2]?.split('\n')[0] ?? '')).toMatchObject({
      body: { model: 'whatever' },
    });
  });

  test('a batch file that is none is refused, with its line', async () => {
    const refusal = async (text: string) => (await upload('ann', text)).body['error'].message as string;
    expect(await refusal(`${lineOf('1')}\nno json`)).toBe('Line 2 of the batch file is not a JSON object.');
    expect(await refusal(`${lineOf('1')}\n${lineOf('2', 'openai:other')}`)).toContain(
      'Line 2 of the batch file names',
    );
    expect(await refusal(lineOf('1', 'fast', '/v1/unknown'))).toContain('needs a `url`');
    expect(
      (await upload('ann', '\n', { headers: { 'X-Gateway-Provider': 'openai' } })).body['error'].message,
    ).toBe('The batch file has no requests.');
    expect((await upload('groq', lineOf('1'))).status).toBe(400);
  });
});

describe('batches', () => {
  test('reserve what they can cost, and are billed once when they are finished, at half the price', async () => {
    const before = await reservedOf('ann');
    const { body: file } = await upload('ann', [lineOf('1'), lineOf('fails'), lineOf('2')].join('\n'));
    const sent = (await fixture.last()).body;
    expect(sent).toContain('"model":"gpt-4o-mini"');
    const { body: batch, status } = await batchOf('ann', file['id'], { metadata: { a: 'b' } });
    expect([status, batch.status, batch.metadata]).toEqual([200, 'validating', { a: 'b' }]);
    // 3 times 50 tokens of output at 0.3 dollars per million, and the prompts.
    expect(Number((await reservedOf('ann')) - before)).toBeGreaterThan(45_000);

    const get = (name: string) => gateway.ask('GET', `/v1/batches/${batch.id}`, undefined, as(name));
    expect((await get('bob')).status).toBe(404);
    expect((await gateway.ask('POST', `/v1/batches/${batch.id}/cancel`, undefined, as('bob'))).status).toBe(
      404,
    );
    expect((await get('ann')).body.status).toBe('validating');
    const rows = (await usageOf('ann')).length;
    await finish();
    const [done] = await Promise.all([get('ann'), get('ann'), get('ann')]);
    await get('ann');
    await gateway.context.stored.settle();
    expect(done?.body.status).toBe('completed');
    const used = (await usageOf('ann')).filter(({ endpoint }) => endpoint === '/v1/batches');
    // 2 answers with 21 tokens of input, 4 of them cached, and 9 of output.
    expect(used).toMatchObject([
      {
        model: 'openai:gpt-4o-mini',
        prompt_tokens: 42,
        completion_tokens: 18,
        cost: (2 * (21 * 0.075 + 9 * 0.3)) / 1e6,
        request_id: batch.id,
        usage_estimated: false,
        status: 'success',
      },
    ]);
    expect((await usageOf('ann')).length).toBe(rows + 1);
    expect(await reservedOf('ann')).toBe(before);

    const output = done?.body.output_file_id;
    const lines = await gateway.ask('GET', `/v1/files/${output}/content`, undefined, as('ann'));
    expect(lines.text.trim().split('\n')).toHaveLength(2);
    expect((await gateway.ask('GET', `/v1/files/${output}/content`, undefined, as('bob'))).status).toBe(404);
    const list = await gateway.ask('GET', '/v1/batches?limit=1', undefined, as('ann'));
    expect(list.body).toMatchObject({ data: [{ id: batch.id, status: 'completed' }], has_more: false });
    expect((await gateway.ask('GET', '/v1/batches', undefined, as('bob'))).body.data).toEqual([]);
  });

  test('are billed without anybody asking, also if they were cancelled', async () => {
    const { body: file } = await upload('bob', [lineOf('1'), lineOf('2')].join('\n'));
    const { body: batch } = await batchOf('bob', file['id']);
    const cancelled = await gateway.ask('POST', `/v1/batches/${batch.id}/cancel`, undefined, as('bob'));
    expect(cancelled.body.status).toBe('cancelling');
    expect((await gateway.ask('DELETE', `/v1/files/${file['id']}`, undefined, as('bob'))).status).toBe(409);
    await finish();
    // The gateway looks for finished ones from time to time.
    gateway.clock.advance(61_000);
    await vi.waitFor(async () => expect(await usageOf('bob')).toHaveLength(1));
    expect(await usageOf('bob')).toMatchObject([
      {
        endpoint: '/v1/batches',
        prompt_tokens: 21,
        status: 'error',
        error_message: 'The batch is cancelled.',
      },
    ]);
    expect(await reservedOf('bob')).toBe(0n);
    expect((await gateway.ask('DELETE', `/v1/files/${file['id']}`, undefined, as('bob'))).status).toBe(200);
  });

  test('need a budget, a file of their own and the right route', async () => {
    const { body: file } = await upload('poor', lineOf('1'));
    expect((await batchOf('poor', file['id'])).body.error.code).toBe('estimate_exceeds_budget');
    expect(await reservedOf('poor')).toBe(0n);
    expect((await batchOf('bob', file['id'])).status).toBe(404);
    expect((await batchOf('poor', file['id'], { endpoint: '/v1/embeddings' })).body.error.message).toContain(
      'are for /v1/chat/completions',
    );
    const { body: fine } = await upload('bob', lineOf('1'));
    expect((await batchOf('bob', fine['id'], { odd: 1 })).body.error.code).toBe('provider_refused');
    expect(await reservedOf('bob')).toBe(0n);
    const { body: plain } = await upload('groq', 'x', { purpose: 'user_data' });
    expect((await batchOf('groq', plain['id'])).body.error.message).toContain('purpose=batch');
  });
});

describe('responses', () => {
  const ask = async (name: string, more: object) =>
    await gateway.ask('POST', '/v1/responses', { model: 'fast', input: 'Hello', ...more }, as(name));

  test('that are stored belong to their user', async () => {
    const { body: response } = await ask('ann', { store: true });
    const get = (name: string, path = '') =>
      gateway.ask('GET', `/v1/responses/${response.id}${path}`, undefined, as(name));
    expect((await get('ann', '?include[]=x')).body).toMatchObject({
      id: response.id,
      output: response.output,
    });
    expect((await get('ann', '/input_items')).body.data).toMatchObject([{ content: 'Hello' }]);
    for (const refused of [
      await get('bob'),
      await get('bob', '/input_items'),
      await gateway.ask('DELETE', `/v1/responses/${response.id}`, undefined, as('bob')),
      await ask('bob', { previous_response_id: response.id }),
    ])
      expect([refused.status, refused.body.error.code]).toEqual([404, 'response_not_found']);
    expect((await ask('ann', { previous_response_id: response.id })).status).toBe(200);
    const deleted = await gateway.ask('DELETE', `/v1/responses/${response.id}`, undefined, as('ann'));
    expect(deleted.body).toMatchObject({ deleted: true });
    expect((await get('ann')).status).toBe(404);
  });

  test('in the background are billed when they are finished', async () => {
    const rows = async () => (await usageOf('ann')).filter(({ endpoint }) => endpoint === '/v1/responses');
    const before = (await rows()).length;
    const { body: response } = await ask('ann', { background: true, max_output_tokens: 100 });
    expect([response.status, (await rows()).length]).toEqual(['queued', before]);
    expect(await reservedOf('ann')).toBeGreaterThan(60_000n);
    const path = `/v1/responses/${response.id}`;
    expect((await gateway.ask('DELETE', path, undefined, as('ann'))).body.error.code).toBe(
      'response_in_progress',
    );
    await finish();
    expect((await gateway.ask('GET', path, undefined, as('ann'))).body.status).toBe('completed');
    const used = await rows();
    expect(used).toHaveLength(before + 1);
    expect(used.find(({ request_id: id }) => id === response.id)).toMatchObject({
      prompt_tokens: 21,
      completion_tokens: 9,
      cost: (17 * 0.15 + 4 * 0.075 + 9 * 0.6) / 1e6,
    });
    expect(await reservedOf('ann')).toBe(0n);
    const events = await gateway.ask('GET', `${path}?stream=true&starting_after=1`, undefined, as('ann'));
    expect(events.text.match(/^event: .*$/gm)).toEqual(['event: response.completed']);

    const { body: second } = await ask('ann', { background: true });
    const cancelled = await gateway.ask('POST', `/v1/responses/${second.id}/cancel`, undefined, as('ann'));
    expect(cancelled.body.status).toBe('cancelled');
    expect(await reservedOf('ann')).toBe(0n);
    expect(await rows()).toHaveLength(before + 2);
  });
});
