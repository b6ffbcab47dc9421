import { expect, test } from 'vitest';
import type { Wire, ChatChunk } from '#gateway/providers/shapes/chat.ts';
import { anthropicAdapter } from '#gateway/providers/adapters/anthropic/adapter.ts';
import { PRESETS } from '#gateway/providers/adapters/presets.ts';
import type { FixtureWire } from '../../fixture-provider.ts';
import {
  callOf,
  CANARY,
  chatBody,
  jsonOf,
  providerOf,
  readStream,
  REPLY,
  wholeOf,
} from '../../test-provider.ts';
import { startThree, TYPES, USAGE } from '../../three-providers.ts';

const { fixtures, providers } = await startThree();

test("requests and responses pass through unchanged on the provider's own protocol", async () => {
  // Given: unknown members, a number beyond double precision, whitespace, an order
  const bytes = Buffer.from(
    '{ "seed": 123456789012345678901234567890,  "model":"openai:good","messages":[{"role":"user","content":"Hello"}], "x_new": {"a": 1.50} }',
  );
  const body = JSON.parse(bytes.toString()) as Record<string, unknown>;
  // When
  const answer = wholeOf(await providers.openai.chat(callOf('chat', body, { bytes, model: 'good' })));
  // Then
  expect((await fixtures.openai.last()).body).toBe(bytes.toString().replace('openai:good', 'good'));
  const direct = await fetch(`${fixtures.openai.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ ...body, model: 'good' }),
  });
  expect(Buffer.from(answer.bytes).toString()).toBe(await direct.text());
});

test.each([
  [{ max_tokens: 5 }, { max_completion_tokens: 5 }],
  [{ max_tokens: 5, max_completion_tokens: null }, { max_completion_tokens: 5 }],
  [{ max_completion_tokens: 6 }, { max_completion_tokens: 6 }],
  [
    { max_tokens: 5, max_completion_tokens: 6 },
    { max_tokens: 5, max_completion_tokens: 6 },
  ],
  [{ max_tokens: null }, { max_tokens: null }],
  [{}, {}],
])(
  'OpenAI receives the token limit under the name that all its models accept: %j',
  async (limits, expected) => {
    const { dialect } = PRESETS['openai'] ?? {};
    const openai = providerOf('openai', fixtures.openai, { dialect });
    await openai.chat(callOf('chat', chatBody('good', limits)));
    expect(JSON.parse((await fixtures.openai.last()).body)).toEqual(chatBody('good', expected));
    // Other servers with this API may support only the older name.
    await providers.openai.chat(callOf('chat', chatBody('good', limits)));
    expect(JSON.parse((await fixtures.openai.last()).body)).toEqual(chatBody('good', limits));
  },
);

test("streams pass through unchanged on the provider's own protocol", async () => {
  const body = chatBody('good', { stream: true, stream_options: { include_usage: true } });
  const { text } = await readStream(await providers.openai.chat(callOf('chat', body)));
  const direct = await fetch(`${fixtures.openai.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  expect(text).toBe(await direct.text());
});

test("Anthropic requests pass through to Anthropic with the client's headers", async () => {
  const body = {
    model: 'thinks',
    max_tokens: 10,
    messages: [{ role: 'user', content: 'Hello' }],
    thinking: { type: 'adaptive' },
  };
  const headers = { 'anthropic-beta': 'something-new', 'x-api-key': 'not ours' };
  const answer = await providers.anthropic.chat(callOf('messages', body, { headers }));
  const last = await fixtures.anthropic.last();
  expect(last.headers).toMatchObject({
    'anthropic-beta': 'something-new',
    'x-api-key': CANARY,
    'anthropic-version': '2023-06-01',
  });
  expect(JSON.parse(last.body)).toEqual(body);
  expect(jsonOf(answer)).toMatchObject({
    content: [
      { type: 'thinking', signature: 'c2ln' },
      { type: 'text', text: REPLY },
    ],
  });
  expect(wholeOf(answer).summary.usage).toEqual(USAGE.anthropic);
  const stream = await readStream(
    await providers.anthropic.chat(callOf('messages', { ...body, stream: true })),
  );
  expect(stream.text).toContain('event: ping\ndata: {"type":"ping"}\n\n');
  expect(stream.text.endsWith('event: message_stop\ndata: {"type":"message_stop"}\n\n')).toBe(true);
  expect(stream.summary).toMatchObject({ outcome: 'complete', usage: USAGE.anthropic });
});

test.each<[FixtureWire, Wire]>([
  ['openai', 'chat'],
  ['gemini', 'chat'],
  ['anthropic', 'messages'],
  ['openai', 'messages'],
  ['gemini', 'responses'],
])('%s over %s: the client sees the alias as the model', async (type, wire) => {
  const asked =
    wire === 'responses'
      ? { model: 'my-alias', input: 'Hello' }
      : { model: 'my-alias', max_tokens: 20, messages: [{ role: 'user', content: 'Hello' }] };
  for (const stream of [false, true]) {
    const body = { ...asked, ...(stream && { stream }) };
    const answer = await providers[type].chat(callOf(wire, body, { model: 'good', showModel: 'my-alias' }));
    const text = stream ? (await readStream(answer)).text : JSON.stringify(jsonOf(answer));
    expect(text).toContain('"model":"my-alias"');
    expect(text).not.toContain('"model":"good"');
    expect(text.includes(REPLY) || stream).toBe(true);
  }
});

test.each(TYPES)('%s: lists its models', async (type) => {
  const models = await providers[type].models(new AbortController().signal);
  expect(models).toContainEqual(expect.objectContaining({ id: 'good' }));
});

test.each(['openai', 'gemini'] as const)('%s: returns embeddings as base64', async (type) => {
  const body = { model: 'good', input: ['abc', 'de'], encoding_format: 'base64' };
  const answer = await providers[type].embed(callOf('chat', body));
  const { data } = jsonOf(answer) as unknown as { data: { embedding: string }[] };
  const first = Buffer.from(data[0]?.embedding ?? '', 'base64');
  expect([first.readFloatLE(0), first.readFloatLE(4), first.readFloatLE(8)]).toEqual([3, 0.5, -0.25]);
  expect(data).toHaveLength(2);
});

test('Anthropic does not support embeddings', async () => {
  const answer = await providers.anthropic.embed(callOf('chat', { model: 'good', input: 'abc' }));
  expect(answer).toMatchObject({
    kind: 'failed',
    failure: { kind: 'unsupported', error: { code: 'MalformedError' } },
  });
});

test.each([
  ['anthropic', { n: 2 }],
  ['anthropic', { response_format: { type: 'json_object' } }],
  ['gemini', { logprobs: true }],
] as const)('%s: %j is rejected instead of silently dropped', async (type, more) => {
  const answer = await providers[type].chat(callOf('chat', chatBody('good', more)));
  expect(answer).toMatchObject({
    kind: 'failed',
    failure: { kind: 'unsupported', error: { code: 'MalformedError' } },
  });
});

test('a prompt that Gemini blocks returns a response with the reason', async () => {
  const whole = await providers.gemini.chat(callOf('chat', chatBody('blocked')));
  expect(jsonOf(whole)).toMatchObject({
    choices: [{ message: { content: null }, finish_reason: 'content_filter' }],
  });
});

test.each(TYPES)('%s: sequential requests reuse connections', async (type) => {
  // Given: another client, so that its connections are new
  const provider = providerOf(type, fixtures[type]);
  const connections = async (): Promise<number> => (await fixtures[type].counts())['connections'] ?? 0;
  const before = await connections();
  // When
  for (let sent = 0; sent < 10; sent += 1) {
    await readStream(await provider.chat(callOf('chat', chatBody('good', { stream: true }))));
    jsonOf(await provider.chat(callOf('chat', chatBody('good'))));
  }
  // Then: one connection can still be at its last byte when the next request starts
  expect((await connections()) - before).toBeLessThanOrEqual(2);
});

test("arguments of Anthropic's own tools are included in the text to check", () => {
  const wire = anthropicAdapter.native.messages;
  const called = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'run', input: { code: 'attack' } };
  const message = { id: 'm', model: 'x', content: [{ type: 'text', text: 'Well: ' }, called], usage: {} };
  expect(wire?.answer(message)).toMatchObject({
    choices: [{ message: { content: 'Well: run{"code":"attack"}' } }],
  });
  const decode = wire?.decoder();
  const delta = { type: 'input_json_delta', partial_json: 'attack' };
  const events = [
    { type: 'content_block_start', index: 1, content_block: { ...called, input: {} } },
    { type: 'content_block_delta', index: 1, delta },
    { type: 'content_block_delta', index: 1, delta: { type: 'signature_delta', signature: 'c2ln' } },
  ];
  const said = events.map((event) => {
    const step = decode?.(undefined, JSON.stringify(event));
    return step?.kind === 'chunks'
      ? (step.chunks as ChatChunk[]).map(({ choices }) => choices?.[0]?.delta?.content)
      : step?.kind;
  });
  expect(said).toEqual([['run{}'], ['attack'], 'nothing']);
});
