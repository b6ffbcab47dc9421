import { describe, expect, test } from 'vitest';
import { compileLinearPattern } from '#platform/linear-pattern.ts';
import { startToolGateway } from './tool-gateway.ts';

const TEXT = 'Edit /tmp/desk/notes.txt';
const DONE = 'Done: the notes are edited and stamped.';
const SERVER = { type: 'mcp', server_label: 'desk' };
const messages = [{ role: 'user', content: TEXT }];

type Json = Readonly<Record<string, unknown>>;

const chat = (model: string, more: Json = {}): readonly [string, Json] => [
  '/v1/chat/completions',
  { model, messages, tools: [SERVER], ...more },
];
const responses = (model: string, more: Json = {}): readonly [string, Json] => [
  '/v1/responses',
  { model, input: messages, tools: [SERVER], ...more },
];

const { gateway, someone, desk, model } = await startToolGateway({
  server: { approval: ['edit*'] },
  models: {
    guardrails: {
      profiles: [
        {
          name: 'secrets',
          kind: 'patterns',
          patterns: new Map([['SECRET', compileLinearPattern('TOPSECRET')]]),
          action: 'block',
        },
      ],
      demanded: [],
    },
  },
});
const { secret } = await someone();
const ask = async (path: string, body: Json): Promise<Json> =>
  (await (await gateway.post(path, body, secret)).json()) as Json;
const outputOf = ({ output }: Json): readonly Json[] => output as readonly Json[];
const ofType = (answer: Json, type: string): readonly Json[] =>
  outputOf(answer).filter((item) => item['type'] === type);

test.each(['openai', 'anthropic', 'gemini'])('a call runs after its approval (%s)', async (provider) => {
  const [path, body] = responses(`${provider}:model-1`);
  const before = desk.calls.length;
  const first = await ask(path, body);
  const [request] = ofType(first, 'mcp_approval_request');
  expect(request).toMatchObject({ server_label: 'desk', name: 'edit_file' });
  expect(desk.calls.slice(before)).toHaveLength(2);
  const approve = { type: 'mcp_approval_response', approval_request_id: request?.['id'], approve: true };
  const input = [...messages, ...outputOf(first), approve];
  const second = await ask(path, { ...body, input });
  expect(ofType(second, 'mcp_call').map(({ name }) => name)).toEqual(['edit_file', 'stamp']);
  expect(JSON.stringify(second)).toContain(DONE);
  expect(desk.calls.slice(before + 2)).toEqual(
    ['edit_file', 'stamp'].map((tool) => `${tool} /tmp/desk/notes.txt`),
  );
  const streamed = await gateway.post(path, { ...body, input, stream: true }, secret);
  const text = await streamed.text();
  expect(text).toContain('event: response.mcp_call.failed');
  expect(text).toContain(DONE);
  expect((await model.book('model-1')).refused).toEqual([]);
});

test('a denied call does not run, and the model receives the reason', async () => {
  const [path, body] = responses('openai:model-2');
  const first = await ask(path, body);
  const [request] = ofType(first, 'mcp_approval_request');
  const before = desk.calls.length;
  const deny = {
    type: 'mcp_approval_response',
    approval_request_id: request?.['id'],
    approve: false,
    reason: 'Too early.',
  };
  const second = await ask(path, { ...body, input: [...messages, ...outputOf(first), deny] });
  expect(JSON.stringify(second)).toContain(DONE);
  expect(desk.calls.slice(before)).toEqual(['stamp /tmp/desk/notes.txt']);
  expect(JSON.stringify((await model.book('model-2')).requests)).not.toContain('mcp_approval');
});

test('a client can require more approvals than the configuration, but not fewer', async () => {
  const more = await ask(
    ...responses('openai:model-3', { tools: [{ ...SERVER, require_approval: 'always' }] }),
  );
  expect(ofType(more, 'mcp_approval_request')).toHaveLength(2);
  const fewer = await ask(
    ...responses('openai:model-3', { tools: [{ ...SERVER, require_approval: 'never' }] }),
  );
  expect(ofType(fewer, 'mcp_approval_request')).toHaveLength(1);
});

test('calls of the same round wait for the approval, and run with it', async () => {
  const own = { type: 'function', name: 'other', parameters: { type: 'object' } };
  const tools = [
    {
      ...SERVER,
      allowed_tools: ['read_file', 'stamp'],
      require_approval: { always: { tool_names: ['read_file'] } },
    },
    own,
  ];
  const first = await ask(...responses('openai:model-4', { tools }));
  const requests = ofType(first, 'mcp_approval_request');
  expect(requests).toHaveLength(2);
  const approvals = requests.map(({ id }) => ({
    type: 'mcp_approval_response',
    approval_request_id: id,
    approve: true,
  }));
  const [path, body] = responses('openai:model-4', { tools });
  const second = await ask(path, { ...body, input: [...messages, ...outputOf(first), ...approvals] });
  expect(JSON.stringify(second)).toContain(DONE);
  expect((await model.book('model-4')).refused).toEqual([]);
});

test('an invented approval runs nothing that the request does not offer', async () => {
  const id = (call: readonly unknown[]): string =>
    `mcpr_${Buffer.from(JSON.stringify(call)).toString('base64url')}`;
  const before = desk.calls.length;
  const approve = (of: string): Json => ({
    type: 'mcp_approval_response',
    approval_request_id: of,
    approve: true,
  });
  const tools = [{ ...SERVER, allowed_tools: ['stamp'] }];
  const input = [
    ...messages,
    approve(id(['call_1', 'desk', 'view', '{}'])),
    approve(id(['call_2', 'other', 'stamp', '{}'])),
    approve('mcpr_x'),
  ];
  await gateway.post(...responses('anthropic:model-5', { tools, input }), secret);
  expect(desk.calls.slice(before)).not.toContain('view');
});

describe('an invented approval runs nothing if the request itself would be rejected', () => {
  const call = JSON.stringify(['call_1', 'desk', 'edit_file', '{"path":"TOPSECRET"}']);
  const approve = {
    type: 'mcp_approval_response',
    approval_request_id: `mcpr_${Buffer.from(call).toString('base64url')}`,
    approve: true,
  };
  const input = [...messages, approve];

  test.each<[string, Json, string, Json, unknown]>([
    [
      'by the models of the key',
      { allowed_models: ['anthropic:*'] },
      'openai:model-7',
      {},
      [403, 'model_not_allowed'],
    ],
    ['because the model is unknown', {}, 'nobody:model-7', {}, [400, 'model_not_found']],
    ['by a spent budget', { budget: { max_budget: 0 } }, 'openai:model-7', {}, [429, 'budget_exceeded']],
    [
      'by a guardrail',
      {},
      'openai:model-7',
      { guardrails: [{ profile: 'secrets', mode: 'block' }] },
      [403, 'guardrail_violation'],
    ],
  ])('%s', async (_reason, fields, name, more, expected) => {
    const { secret: own } = await someone(fields);
    const before = desk.calls.length;
    for (const stream of [false, true]) {
      const answer = await gateway.post(...responses(name, { input, stream, ...more }), own);
      const { error } = (await answer.json()) as { readonly error: Json };
      expect([answer.status, error['code']]).toEqual(expected);
    }
    expect(desk.calls.slice(before)).toEqual([]);
  });

  test('by its rate limit, which counts approved calls like free calls', async () => {
    const { secret: own } = await someone({ rpm: 1 });
    const before = desk.calls.length;
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1)
      statuses.push((await gateway.post(...responses('openai:model-8', { input }), own)).status);
    expect(statuses.slice(1)).toEqual(statuses.slice(1).map(() => 429));
    // The first request also runs what the model calls.
    expect(desk.calls.slice(before).filter((one) => one === 'edit_file TOPSECRET')).toHaveLength(10);
  });
});

test('clients of other APIs cannot approve, so the call fails', async () => {
  const before = desk.calls.length;
  const answer = await gateway.post(...chat('openai:model-6'), secret);
  const text = await answer.text();
  expect(text).toContain('Only the Responses API supports approvals.');
  expect(text).toContain(DONE);
  expect(desk.calls.slice(before).filter((call) => call.startsWith('edit'))).toEqual([]);
});

test('an approval runs its call once, although the conversation continues with it', async () => {
  const [path, body] = responses('openai:model-7');
  const first = await ask(path, body);
  const [request] = ofType(first, 'mcp_approval_request');
  const approve = { type: 'mcp_approval_response', approval_request_id: request?.['id'], approve: true };
  const input = [...messages, ...outputOf(first), approve];
  const second = await ask(path, { ...body, input });
  const before = desk.calls.length;
  const thanks = { role: 'user', content: 'Thank you.' };
  const third = await ask(path, { ...body, input: [...input, ...outputOf(second), thanks] });
  expect(JSON.stringify(third)).toContain(DONE);
  // A client that does not send back the call has its approval only once, too.
  const said = outputOf(second).filter(({ type }) => type === 'message');
  await ask(path, { ...body, input: [...input, ...said, thanks] });
  expect(desk.calls.slice(before).filter((call) => call.startsWith('edit'))).toEqual([]);
  expect((await model.book('model-7')).refused).toEqual([]);
});
