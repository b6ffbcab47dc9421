import { afterAll, describe, expect, test } from 'vitest';
import { FURTHER_MODELS } from '#gateway/requests/completions/read-request.ts';
import { openStoredGateway } from './stored-gateway.ts';

const { gateway, fixture, other, as, finish, usageOf, reservedOf } = await openStoredGateway();
afterAll(() => gateway.close());

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
  return { status: response.status, body: (await response.json()) as Uploaded };
}
interface Uploaded {
  readonly id: string;
  readonly error: { readonly message: string };
}

const batchOf = async (name: string, file: string, more: object = {}) =>
  await gateway.ask(
    'POST',
    '/v1/batches',
    { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h', ...more },
    as(name),
  );

describe('files', () => {
  test('a file belongs to the user who uploaded it', async () => {
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
    const { id } = file;
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
    // The master key sees all objects.
    expect((await gateway.ask('GET', `/v1/files/${id}`)).status).toBe(200);
    expect((await gateway.ask('DELETE', `/v1/files/${id}`, undefined, as('ann'))).body).toMatchObject({
      deleted: true,
    });
    expect((await gateway.ask('GET', `/v1/files/${id}`, undefined, as('ann'))).status).toBe(404);
  });

  test('the provider is determined by the header, by the models, or because only one provider is available to the key', async () => {
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

  test('a batch line that lists additional models is rejected', async () => {
    const { body, ...line } = JSON.parse(lineOf('2')) as { body: object };
    for (const name of FURTHER_MODELS) {
      const file = `${lineOf('1')}\n${JSON.stringify({ ...line, body: { ...body, [name]: ['other'] } })}`;
      const { status, body: answer } = await upload('ann', file);
      expect(status, name).toBe(422);
      expect(answer.error.message).toMatch(
        new RegExp(`^Line 2 of the batch file: ${name} lists more models`),
      );
    }
  });

  test('an invalid batch file is rejected with the line number', async () => {
    const refusal = async (text: string) => (await upload('ann', text)).body.error.message;
    expect(await refusal(`${lineOf('1')}\nno json`)).toBe('Line 2 of the batch file is not a JSON object.');
    expect(await refusal(`${lineOf('1')}\n${lineOf('2', 'openai:other')}`)).toContain(
      'Line 2 of the batch file uses the model',
    );
    expect(await refusal(lineOf('1', 'fast', '/v1/unknown'))).toContain('must have a `url`');
    expect(
      (await upload('ann', '\n', { headers: { 'X-Gateway-Provider': 'openai' } })).body.error.message,
    ).toBe('The batch file has no requests.');
    expect((await upload('groq', lineOf('1'))).status).toBe(400);
  });
});

describe('batches', () => {
  test('a batch reserves its maximum cost and is billed once on completion, at half price', async () => {
    const before = await reservedOf('ann');
    const { body: file } = await upload('ann', [lineOf('1'), lineOf('fails'), lineOf('2')].join('\n'));
    const sent = (await fixture.last()).body;
    expect(sent).toContain('"model":"gpt-4o-mini"');
    const { body: batch, status } = await batchOf('ann', file.id, { metadata: { a: 'b' } });
    expect([status, batch.status, batch.metadata]).toEqual([200, 'validating', { a: 'b' }]);
    // 3 times 50 output tokens at 0.3 dollars per million, plus the prompts.
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
    // 2 responses with 21 input tokens, 4 of them cached, and 9 output tokens each.
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

  test('a batch is billed without polling by the client, even if canceled', async () => {
    const { body: file } = await upload('bob', [lineOf('1'), lineOf('2')].join('\n'));
    const { body: batch } = await batchOf('bob', file.id);
    const cancelled = await gateway.ask('POST', `/v1/batches/${batch.id}/cancel`, undefined, as('bob'));
    expect(cancelled.body.status).toBe('cancelling');
    expect((await gateway.ask('DELETE', `/v1/files/${file.id}`, undefined, as('bob'))).status).toBe(409);
    await finish();
    // The gateway polls for finished batches from time to time.
    gateway.clock.advance(61_000);
    await expect.poll(() => usageOf('bob')).toHaveLength(1);
    expect(await usageOf('bob')).toMatchObject([
      {
        endpoint: '/v1/batches',
        prompt_tokens: 21,
        status: 'error',
        error_message: 'The batch is cancelled.',
      },
    ]);
    expect(await reservedOf('bob')).toBe(0n);
    expect((await gateway.ask('DELETE', `/v1/files/${file.id}`, undefined, as('bob'))).status).toBe(200);
  });

  test('a batch that the provider has deleted is billed by estimate after a delay', async () => {
    const { body: file } = await upload('bob', lineOf('1'));
    const { body: batch } = await batchOf('bob', file.id);
    await fetch(`${fixture.url}/forget`, { method: 'POST' });
    const rows = async () => (await usageOf('bob')).filter(({ request_id: id }) => id === batch.id);
    await gateway.context.stored.settle();
    expect(await rows()).toEqual([]);
    gateway.clock.advance(3_700_000);
    await expect.poll(() => rows()).toHaveLength(1);
    expect(await rows()).toMatchObject([{ usage_estimated: true, completion_tokens: 50, status: 'error' }]);
    expect(await reservedOf('bob')).toBe(0n);
  });

  test('a batch requires a budget, a file of the same user and the right endpoint', async () => {
    const { body: file } = await upload('poor', lineOf('1'));
    expect((await batchOf('poor', file.id)).body.error.code).toBe('estimate_exceeds_budget');
    expect(await reservedOf('poor')).toBe(0n);
    expect((await batchOf('bob', file.id)).status).toBe(404);
    expect((await batchOf('poor', file.id, { endpoint: '/v1/embeddings' })).body.error.message).toContain(
      'are for /v1/chat/completions',
    );
    const { body: fine } = await upload('bob', lineOf('1'));
    expect((await batchOf('bob', fine.id, { odd: 1 })).body.error.code).toBe('provider_refused');
    expect(await reservedOf('bob')).toBe(0n);
    const { body: plain } = await upload('groq', 'x', { purpose: 'user_data' });
    expect((await batchOf('groq', plain.id)).body.error.message).toContain('purpose=batch');
  });
});

test("responses created by a batch belong to the batch's user", async () => {
  const body = { model: 'openai:gpt-4o-mini', input: 'Hello', max_output_tokens: 50 };
  const line = JSON.stringify({ custom_id: '1', method: 'POST', url: '/v1/responses', body });
  const { body: file } = await upload('ann', line);
  const { body: batch } = await batchOf('ann', file.id, { endpoint: '/v1/responses' });
  await finish();
  const { body: done } = await gateway.ask('GET', `/v1/batches/${batch.id}`, undefined, as('ann'));
  const output = await gateway.ask('GET', `/v1/files/${done.output_file_id}/content`, undefined, as('ann'));
  const [id = ''] = /resp_[\w]+/.exec(output.text) ?? [];
  const statusesOf = async (name: string) => [
    (await gateway.ask('GET', `/v1/responses/${id}`, undefined, as(name))).status,
    (await gateway.ask('POST', '/v1/responses', { ...body, previous_response_id: id }, as(name))).status,
  ];
  expect(await statusesOf('bob')).toEqual([404, 404]);
  expect(await statusesOf('ann')).toEqual([200, 200]);
});
