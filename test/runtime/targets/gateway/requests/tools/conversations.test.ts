import { describe, expect, test } from 'vitest';
import { startToolGateway } from './tool-gateway.ts';

// A conversation in which the model calls tools of the server and functions of the client.

const { model, desk, gateway, someone } = await startToolGateway();

const TEXT = 'Edit /tmp/desk/notes.txt';
const DONE = 'Done: the notes are edited and stamped.';
const PARAMETERS = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const COMMAND = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };

type Json = Readonly<Record<string, unknown>>;

interface ClientWire {
  /** A request with the server and the client's own function. */
  request(model: string, name: string, parameters: Json): readonly [string, Json];
  /** The next request, with the response as it was received, and the results of the client's calls. */
  next(body: Json, answer: Json): Json;
  /** Names of the client's functions that the response calls. */
  called(answer: Json): readonly unknown[];
}

const objects = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const members = (value: unknown): Json => value as Json;

const WIRES: Readonly<Record<string, ClientWire>> = {
  chat: {
    request: (id, name, parameters) => [
      '/v1/chat/completions',
      {
        model: id,
        messages: [{ role: 'user', content: TEXT }],
        tools: [
          { type: 'mcp', server_label: 'desk' },
          { type: 'function', function: { name, parameters } },
        ],
      },
    ],
    called: ({ choices }) =>
      objects(members(members(objects(choices)[0])['message'])['tool_calls']).map(
        (call) => members(call['function'])['name'],
      ),
    next(body, { choices }) {
      const message = members(members(objects(choices)[0])['message']);
      const results = objects(message['tool_calls']).map(({ id }) => ({
        role: 'tool',
        tool_call_id: id,
        content: 'ok',
      }));
      return { ...body, messages: [...objects(body['messages']), message, ...results] };
    },
  },
  responses: {
    request: (id, name, parameters) => [
      '/v1/responses',
      {
        model: id,
        input: [{ role: 'user', content: TEXT }],
        tools: [
          { type: 'mcp', server_label: 'desk' },
          { type: 'function', name, parameters },
        ],
      },
    ],
    called: ({ output }) =>
      objects(output)
        .filter(({ type }) => type === 'function_call')
        .map(({ name }) => name),
    next(body, { output }) {
      const results = objects(output)
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id: id }) => ({ type: 'function_call_output', call_id: id, output: 'ok' }));
      return { ...body, input: [...objects(body['input']), ...objects(output), ...results] };
    },
  },
  messages: {
    request: (id, name, parameters) => [
      '/v1/messages',
      {
        model: id,
        max_tokens: 1000,
        messages: [{ role: 'user', content: TEXT }],
        mcp_servers: [{ type: 'url', name: 'desk', url: desk.url }],
        tools: [
          { type: 'mcp_toolset', mcp_server_name: 'desk' },
          { name, input_schema: parameters },
        ],
      },
    ],
    called: ({ content }) =>
      objects(content)
        .filter(({ type }) => type === 'tool_use')
        .map(({ name }) => name),
    next(body, { content }) {
      const results = objects(content)
        .filter(({ type }) => type === 'tool_use')
        .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' }));
      const turns = [
        { role: 'assistant', content },
        { role: 'user', content: results },
      ];
      return { ...body, messages: [...objects(body['messages']), ...turns] };
    },
  },
};

const PROVIDERS = ['openai', 'anthropic', 'gemini'];
let models = 0;
const nextModel = (): string => `model-${(models += 1)}`;

describe.each(PROVIDERS)('a model of %s', (provider) => {
  describe.each(Object.keys(WIRES))('in the API %s', (wire) => {
    const client = WIRES[wire] as ClientWire;
    const ask = async (path: string, body: Json, secret: string): Promise<Json> => {
      const answer = await gateway.post(path, body, secret);
      const text = await answer.text();
      expect(text.includes('"error":{'), text).toBe(false);
      return JSON.parse(text) as Json;
    };

    test('the client receives calls of its own functions, and the conversation continues', async () => {
      const id = nextModel();
      const { secret } = await someone();
      const before = desk.calls.length;
      const [path, body] = client.request(`${provider}:${id}`, 'edit', PARAMETERS);
      const first = await ask(path, body, secret);
      expect(client.called(first)).toEqual(['edit']);
      expect(desk.calls.slice(before)).toEqual(Array(2).fill('read_file /tmp/desk/notes.txt'));
      const second = await ask(path, client.next(body, first), secret);
      expect(JSON.stringify(second)).toContain(DONE);
      // Nothing runs twice, because the model receives the earlier calls with their results.
      expect(desk.calls.slice(before + 2)).toEqual(['stamp /tmp/desk/notes.txt']);
      expect((await model.book(id)).refused).toEqual([]);
    });

    test('a round can call both the tools of the server and functions of the client', async () => {
      const id = nextModel();
      const { secret } = await someone();
      const before = desk.calls.length;
      const [path, body] = client.request(`${provider}:${id}`, 'bash', COMMAND);
      const first = await ask(path, body, secret);
      expect(client.called(first)).toEqual(['bash']);
      const second = await ask(path, client.next(body, first), secret);
      expect(JSON.stringify(second)).toContain(DONE);
      expect(desk.calls.slice(before).filter((call) => call.startsWith('stamp'))).toHaveLength(1);
      expect((await model.book(id)).refused).toEqual([]);
    });
  });
});

test.each([
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Stamp the notes.' }] }],
  ['/v1/responses', { input: 'Stamp the notes.' }],
  ['/v1/messages', { max_tokens: 99, messages: [{ role: 'user', content: 'Stamp the notes.' }] }],
])('%s rejects a choice of a server or tool that the request does not have', async (path, more) => {
  const { secret } = await someone();
  const ask = async (choice: object): Promise<string> => {
    const tools = [{ type: 'mcp', server_label: 'desk' }];
    const body = { model: 'anthropic:model-choice', tools, tool_choice: choice, ...more };
    return await (await gateway.post(path, body, secret)).text();
  };
  const listed = (...list: readonly object[]) => ({ type: 'allowed_tools', mode: 'auto', tools: list });
  const other = { type: 'mcp', server_label: 'other' };
  const view = { type: 'mcp', server_label: 'desk', name: 'view' };
  for (const choice of [other, listed(other)])
    expect(await ask(choice)).toContain(String.raw`MCP server \"other\" is not available.`);
  for (const choice of [view, listed(view)])
    expect(await ask(choice)).toContain(
      String.raw`MCP server \"desk\" has no tool \"view\" for this request. Correct `,
    );
  expect(await ask({ type: 'mcp' })).toContain('`tool_choice` has an MCP server without a `server_label`.');
  expect((await model.book('model-choice')).answers).toBe(0);
});
