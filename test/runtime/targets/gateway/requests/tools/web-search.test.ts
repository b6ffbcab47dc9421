import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { startToolGateway } from './tool-gateway.ts';

const TEXT = 'Edit /tmp/desk/notes.txt';
const messages = [{ role: 'user', content: TEXT }];

type Json = Readonly<Record<string, unknown>>;

/** A provider whose model searches once. */
async function startSearcher(): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const { messages: said } = (await json(request)) as { readonly messages: readonly Json[] };
      const isFirst = said.at(-1)?.['role'] === 'user';
      const call = {
        id: 'call_1',
        type: 'function',
        function: { name: 'web_search', arguments: '{"path":"news"}' },
      };
      const message = {
        role: 'assistant',
        content: isFirst ? null : 'Found.',
        ...(isFirst && { tool_calls: [call] }),
      };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          created: 1,
          model: 'model-1',
          choices: [{ index: 0, message, finish_reason: isFirst ? 'tool_calls' : 'stop' }],
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

const { gateway, someone, model, desk } = await startToolGateway({
  providers: [
    { name: 'searcher', type: 'openai', baseUrl: await startSearcher(), apiKey: 'key', local: true },
  ],
  tools: { webSearch: { server: 'desk', tool: 'stamp', models: undefined } },
});

const REQUESTS: Readonly<Record<string, (model: string) => readonly [string, Json]>> = {
  chat: (id) => ['/v1/chat/completions', { model: id, messages, web_search_options: {} }],
  responses: (id) => ['/v1/responses', { model: id, input: messages, tools: [{ type: 'web_search' }] }],
  messages: (id) => [
    '/v1/messages',
    {
      model: id,
      max_tokens: 1000,
      messages,
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    },
  ],
  gemini: (id) => [
    `/v1beta/models/${id}:generateContent`,
    { contents: [{ role: 'user', parts: [{ text: TEXT }] }], tools: [{ googleSearch: {} }] },
  ],
};

const OWN: Readonly<Record<string, string>> = {
  chat: 'openai',
  responses: 'openai',
  messages: 'anthropic',
  gemini: 'gemini',
};

let models = 0;

test.each(Object.keys(REQUESTS))(
  'a model whose provider has no search uses the configured tool (%s)',
  async (wire) => {
    for (const provider of ['openai', 'anthropic', 'gemini']) {
      const id = `model-${(models += 1)}`;
      const { secret } = await someone();
      const [path, body] = REQUESTS[wire]?.(`${provider}:${id}`) ?? ['', {}];
      await gateway.post(path, body, secret);
      const { tools, requests } = await model.book(id);
      const isOwn = OWN[wire] === provider;
      // A provider with its own search receives the request’s search instead of the function.
      expect(JSON.stringify(requests).includes('Stamps the notes.'), `${provider} ${tools.join()}`).toBe(
        !isOwn,
      );
      expect(requests).toHaveLength(1);
    }
  },
);

test('the gateway runs the search that a model calls', async () => {
  const { secret, userId } = await someone();
  const before = desk.calls.length;
  const body = {
    model: 'searcher:model-1',
    max_tokens: 1000,
    messages,
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
  };
  const answer = await gateway.post('/v1/messages', body, secret);
  const { content } = (await answer.json()) as { readonly content: readonly Json[] };
  expect(content.map(({ type }) => type)).toEqual(['mcp_tool_use', 'mcp_tool_result', 'text']);
  expect(content[0]).toMatchObject({ server_name: 'desk', name: 'stamp', input: { path: 'news' } });
  expect(desk.calls.slice(before)).toEqual(['stamp news']);
  expect(await gateway.usage(userId)).toHaveLength(2);
});
