import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { startToolGateway } from './tool-gateway.ts';

interface Asked {
  readonly messages: readonly { readonly role: string }[];
  readonly tool_choice?: unknown;
}

const asked: Asked[] = [];

/** A provider whose model first stamps, and then calls the client’s function only if a call is required. */
async function startModel(): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = (await json(request)) as Asked;
      asked.push(body);
      const isFirst = body.messages.at(-1)?.role === 'user';
      const isRequired = body.tool_choice === 'required';
      const name = isFirst ? 'stamp' : 'finish';
      const call = { id: `call_${name}`, type: 'function', function: { name, arguments: '{"path":"a"}' } };
      const calls = isFirst || isRequired ? [call] : undefined;
      const message = { role: 'assistant', content: calls ? null : 'Text.', tool_calls: calls };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          created: 1,
          model: 'model-1',
          choices: [{ index: 0, message, finish_reason: calls ? 'tool_calls' : 'stop' }],
          usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
        }),
      );
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const dialect = { hasResponses: false };
const { gateway, someone, desk } = await startToolGateway({
  providers: [
    { name: 'plain', type: 'openai', baseUrl: await startModel(), apiKey: 'key', local: true, dialect },
  ],
});

const TEXT = 'Finish.';
const messages = [{ role: 'user', content: TEXT }];
const parameters = { type: 'object' };
const name = 'finish';
const REQUESTS = {
  '/v1/chat/completions': {
    messages,
    tool_choice: 'required',
    tools: [{ type: 'function', function: { name, parameters } }],
  },
  '/v1/responses': { input: TEXT, tool_choice: 'required', tools: [{ type: 'function', name, parameters }] },
  '/v1/messages': {
    max_tokens: 99,
    messages,
    tool_choice: { type: 'any' },
    tools: [{ name, input_schema: parameters }],
  },
  '/v1beta/models/plain:model-1:generateContent': {
    contents: [{ role: 'user', parts: [{ text: TEXT }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    tools: [{ functionDeclarations: [{ name }] }],
  },
};

test.each(Object.entries(REQUESTS))(
  '%s: a call of a default tool of the key does not replace the call that the client requires',
  async (path, body) => {
    const { secret } = await someone({ tools: ['desk'] });
    const before = desk.calls.length;
    const answer = await gateway.post(path, { model: 'plain:model-1', ...body }, secret);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"finish"')]);
    expect(desk.calls.slice(before)).toEqual(['stamp a']);
  },
);

test('if the request has only default tools of the key, a call of one is the required call', async () => {
  const { secret } = await someone({ tools: ['desk'] });
  const before = asked.length;
  const body = { model: 'plain:model-1', messages, tool_choice: 'required' };
  const answer = await gateway.post('/v1/chat/completions', body, secret);
  expect(await answer.text()).toContain('Text.');
  expect(asked.slice(before).map((one) => one.tool_choice)).toEqual(['required', 'auto']);
});
