import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { providerOf } from '../test-provider.ts';
import { openGateway } from './open-gateway.ts';

let created = 0;
const idOf = (prefix: string): string => `${prefix}_${'0'.repeat(30)}${(created += 1)}`;
/** Requests that reached the provider. */
const received: string[] = [];
/** A background response is finished when it is retrieved. */
const finished = new Map<string, object>();

// A provider with stored responses whose items have their own IDs, like OpenAI's.
const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const text = Buffer.concat(pieces).toString();
    received.push(text);
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    const head = { id: idOf('resp'), object: 'response', created_at: 1, model: 'm', output: [] as object[] };
    const content = [{ type: 'output_text', text: 'x', annotations: [] }];
    const output = [
      { id: idOf('rs'), type: 'reasoning', summary: [] },
      {
        id: idOf('ci'),
        type: 'code_interpreter_call',
        container_id: body['container'] ?? idOf('cntr'),
        code: 'x',
      },
      { id: idOf('msg'), type: 'message', role: 'assistant', status: 'completed', content },
    ];
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const done = { ...head, status: 'completed', output, usage };
    const send = (json: object): void => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(json));
    };
    if (request.method === 'GET') return send(finished.get(request.url?.split('/').at(-1) ?? '') ?? {});
    if (body['background'] === true) {
      finished.set(head.id, done);
      return send({ ...head, status: 'queued', usage: null });
    }
    if (body['stream'] !== true) return send(done);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = (type: string, data: object): void =>
      void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    event('response.created', { response: head });
    for (const item of output) event('response.output_item.added', { item });
    event('response.output_text.delta', { delta: 'x' });
    event('response.completed', { response: done });
    response.end();
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const fixture = { url } as Parameters<typeof providerOf>[1];
const gateway = await openGateway({
  providers: [providerOf('openai', fixture, { dialect: { hasResponses: true }, listedAs: 'openai' })],
});
const keyOf = async (user: string) => ({
  'X-Gateway-Key': `Bearer ${(await gateway.ask('POST', '/v1/keys', { user_id: user })).body.key}`,
});
const [ann, eve] = [await keyOf('ann'), await keyOf('eve')];
afterAll(async () => {
  await gateway.close();
  server.closeAllConnections();
  server.close();
});

const ask = (as: Record<string, string>, more: object) =>
  gateway.ask('POST', '/v1/responses', { model: 'openai:gpt-4o', input: 'x', ...more }, as);
const statusOf = async (as: Record<string, string>, more: object) => {
  const { status, body } = await ask(as, more);
  return status === 200 ? 200 : `${status} ${body.error.code}`;
};

test.each(['whole', 'stream', 'background'] as const)(
  'the items and containers of a response belong to its user: %s',
  async (kind) => {
    const { text, body } = await ask(ann, kind === 'whole' ? {} : { [kind]: true });
    let answer = text;
    if (kind === 'background')
      answer = (await gateway.ask('GET', `/v1/responses/${body.id}`, undefined, ann)).text;
    const [item = ''] = /msg_\d+/.exec(answer) ?? [];
    const [container = ''] = /cntr_\d+/.exec(answer) ?? [];
    expect([item, container]).not.toContain('');
    for (const more of [
      { input: [{ type: 'item_reference', id: item }] },
      { input: [{ id: item }] },
      { tools: [{ type: 'code_interpreter', container }] },
    ]) {
      const before = received.length;
      expect(await statusOf(eve, more)).toBe('404 item_not_found');
      expect(received).toHaveLength(before);
      expect(await statusOf(ann, more)).toBe(200);
    }
    if (kind !== 'background') return;
    // The database stores none of the response's text.
    const { content } = (await gateway.context.state.objects.find('response', body.id)) ?? {};
    expect(Object.keys(content ?? {})).toEqual(['id', 'status', 'model', 'usage']);
  },
);

test("objects named in a request, such as an operator's container, do not become the user's own", async () => {
  const container = `cntr_${'9'.repeat(30)}`;
  for (const as of [ann, eve]) expect(await statusOf(as, { container })).toBe(200);
});

test('a response that is not stored owns no items', async () => {
  const { text } = await ask(ann, { store: false });
  const [id] = /msg_\d+/.exec(text) ?? [];
  expect(await statusOf(eve, { input: [{ type: 'item_reference', id }] })).toBe(200);
});
