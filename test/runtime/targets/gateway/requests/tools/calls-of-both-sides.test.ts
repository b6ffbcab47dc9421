import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startToolGateway } from './tool-gateway.ts';

// What the gateway sends to OpenAI's Responses API if its model calls functions of the client and a tool of the gateway.

type Json = Readonly<Record<string, unknown>>;

const outputs: (readonly Json[])[] = [];
const requests: Json[] = [];

/** A provider that responds with the next of `outputs`. */
async function startProvider(): Promise<string> {
  let responses = 0;
  const server = createServer((request, response) => {
    void (async () => {
      requests.push((await json(request)) as Json);
      const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
      responses += 1;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          id: `resp_${responses}`,
          object: 'response',
          created_at: 1,
          status: 'completed',
          model: 'model-1',
          output: outputs.shift() ?? [DONE],
          usage,
        }),
      );
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const DONE = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
};
const SEAL = { type: 'function_call', id: 'fc_seal', call_id: 'call_seal', name: 'seal', arguments: '{}' };
const SEALED = { type: 'function_call_output', call_id: 'call_seal', output: 'The notes have a seal.' };
const READ = { type: 'function_call', id: 'fc_read', call_id: 'call_read', name: 'read', arguments: '{}' };
const READ_RESULT = { type: 'function_call_output', call_id: 'call_read', output: 'red' };
const REASONING = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' };
const QUESTION = { type: 'message', role: 'user', content: 'Seal the notes.' };

const { gateway, someone, desk } = await startToolGateway({
  hasSeal: true,
  server: { allowedTools: ['seal'] },
  providers: [
    {
      name: 'scripted',
      type: 'openai',
      baseUrl: await startProvider(),
      apiKey: 'key',
      local: true,
      dialect: { hasResponses: true },
    },
  ],
});
const { secret } = await someone({ tools: ['desk'] });
const ask = async (input: readonly Json[], more: Json = {}, key = secret): Promise<Json> => {
  const tools = [{ type: 'function', name: 'read', parameters: { type: 'object' } }];
  const body = { model: 'scripted:model-1', input, tools, ...more };
  const answer = await gateway.post('/v1/responses', body, key);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return JSON.parse(text) as Json;
};
const outputOf = ({ output }: Json): readonly Json[] => output as readonly Json[];
const sent = (): readonly Json[] => requests.at(-1)?.['input'] as readonly Json[];

beforeEach(() => {
  outputs.length = 0;
  requests.length = 0;
});

test("a function in a client's namespace is the client's, even with the name of a tool", async () => {
  const before = desk.calls.length;
  const call = { ...READ, name: 'seal', namespace: 'mcp__office' };
  outputs.push([call]);
  const namespace = {
    type: 'namespace',
    name: 'mcp__office',
    description: 'The office.',
    tools: [{ type: 'function', name: 'seal', parameters: { type: 'object' } }],
  };
  const answer = await ask([QUESTION], { tools: [namespace] });
  expect(outputOf(answer)).toMatchObject([{ type: 'function_call', name: 'seal', namespace: 'mcp__office' }]);
  expect(desk.calls.slice(before)).toEqual([]);
  // The tool of the gateway has another name then.
  const names = requests.flatMap(({ tools }) => (tools as readonly Json[]).map(({ name }) => name));
  expect(names).toEqual(['mcp__office', 'desk_seal']);
});

test.each(['local_shell_call', 'shell_call', 'apply_patch_call', 'custom_tool_call', 'computer_call'])(
  'a %s is a call of the client, for whose result the gateway waits',
  async (type) => {
    outputs.push([SEAL, { type, id: 'item_1', call_id: 'call_item', action: {}, name: 'x', input: '' }]);
    const answer = await ask([QUESTION]);
    expect(outputOf(answer).map((item) => item['type'])).toEqual([type]);
    expect(requests).toHaveLength(1);
  },
);

test('a client that sends back only its own items gets the conversation that the model had', async () => {
  outputs.push([{ ...REASONING, id: 'rs_0', encrypted_content: 'gAAA0' }, SEAL], [REASONING, READ]);
  const seen = outputOf(await ask([QUESTION]));
  expect(seen.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'function_call']);
  await ask([QUESTION, ...seen.map(({ id: _id, ...item }) => item), READ_RESULT]);
  expect(sent().map(({ type, call_id: id }) => id ?? type)).toEqual([
    'message',
    'reasoning',
    'call_seal',
    'call_seal',
    'reasoning',
    'call_read',
    'call_read',
  ]);
});

test.each([
  ['the calls', 'the results', [READ, { ...READ, id: 'fc_2', call_id: 'call_2' }, READ_RESULT]],
  ['a call with its result', 'the next', [READ, READ_RESULT, { ...READ, id: 'fc_2', call_id: 'call_2' }]],
])('the order of parallel calls does not matter: %s before %s', async (_first, _then, items) => {
  outputs.push([SEAL, READ, { ...READ, id: 'fc_2', call_id: 'call_2' }]);
  await ask([QUESTION]);
  await ask([QUESTION, ...items, { ...READ_RESULT, call_id: 'call_2' }]);
  const calls = sent().filter(({ type }) => type === 'function_call');
  const results = sent().filter(({ type }) => type === 'function_call_output');
  expect(calls.map(({ call_id: id }) => id)).toEqual(['call_seal', 'call_read', 'call_2']);
  expect(new Set(results.map(({ call_id: id }) => id))).toEqual(
    new Set(['call_2', 'call_read', 'call_seal']),
  );
});

test('a response that the provider has stored gets the missing result', async () => {
  outputs.push([SEAL, READ]);
  const { id } = await ask([QUESTION], { store: true });
  await ask([READ_RESULT], { previous_response_id: id });
  expect(sent()).toEqual([SEALED, READ_RESULT]);
});

test('references to items are replaced by the items', async () => {
  outputs.push([REASONING, SEAL, READ]);
  await ask([QUESTION]);
  const references = ['rs_1', 'fc_read'].map((id) => ({ type: 'item_reference', id }));
  await ask([QUESTION, ...references, READ_RESULT]);
  expect(sent()).toMatchObject([QUESTION, REASONING, SEAL, READ, SEALED, READ_RESULT]);
});

test("what one user's model has called stays with this user", async () => {
  outputs.push([SEAL, READ]);
  await ask([QUESTION]);
  const other = await someone({ tools: ['desk'] });
  await ask([QUESTION, READ, READ_RESULT], {}, other.secret);
  expect(sent()).toEqual([QUESTION, READ, READ_RESULT]);
});
