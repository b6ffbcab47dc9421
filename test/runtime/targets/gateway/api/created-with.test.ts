import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import { systemClock } from '#platform/clock.ts';
import { openGateway, type OpenGateway } from './open-gateway.ts';

// Objects that a provider creates with a response belong to the user of the request: containers and files of executed
// code, and audio.
let received: string[] = [];
let answer: unknown = {};
const server = createServer((request, response) => {
  received.push(`${request.method} ${request.url}`);
  request.resume();
  const isStream = Array.isArray(answer);
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
  response.end(
    isStream
      ? (answer as { type?: string }[])
          .map((one) => `event: ${one.type ?? 'message'}\ndata: ${JSON.stringify(one)}\n\n`)
          .join('')
      : JSON.stringify(answer),
  );
});
let gateway: OpenGateway;
let [ann, eve]: Record<string, string>[] = [{}, {}];

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const parts = { clock: systemClock, random: () => 0.5, onLine: () => undefined };
  const base = { apiKey: 'sk-0123456789', headers: {}, local: true } as const;
  gateway = await openGateway({
    providers: [
      openProvider(
        {
          ...base,
          name: 'openai',
          type: 'openai',
          baseUrl: `${url}/v1`,
          listedAs: 'openai',
          dialect: { hasResponses: true },
        },
        parts,
      ),
      openProvider({ ...base, name: 'anthropic', type: 'anthropic', baseUrl: url }, parts),
    ],
  });
  const as = async (user_id: string): Promise<Record<string, string>> => {
    const { body } = await gateway.ask('POST', '/v1/keys', { user_id });
    return { 'X-Gateway-Key': `Bearer ${body.key}` };
  };
  [ann, eve] = [await as('ann'), await as('eve')];
});
afterAll(async () => {
  await gateway.close();
  server.closeAllConnections();
  server.close();
});

const said = [{ role: 'user', content: 'Hello' }];
const message = (more: object = {}): object => ({
  model: 'anthropic:m',
  max_tokens: 5,
  messages: said,
  ...more,
});
const CONTAINER = { expires_at: '2026-12-01T00:00:00Z' };
const usage = { input_tokens: 5, output_tokens: 5 };
const whole = (id: string, file: string): object => ({
  id: 'msg_0123456789',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [
    { type: 'text', text: 'Done.' },
    {
      type: 'bash_code_execution_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: {
        type: 'bash_code_execution_result',
        content: [{ type: 'bash_code_execution_output', file_id: file }],
      },
    },
  ],
  stop_reason: 'end_turn',
  container: { id, ...CONTAINER },
  usage,
});
const streamed = (id: string, file: string): object[] => [
  {
    type: 'message_start',
    message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage },
  },
  {
    type: 'content_block_start',
    index: 0,
    content_block: {
      type: 'code_execution_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: {
        type: 'code_execution_result',
        content: [{ type: 'code_execution_output', file_id: file }],
      },
    },
  },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null, container: { id, ...CONTAINER } },
    usage: { output_tokens: 5 },
  },
  { type: 'message_stop' },
];
const chat = (more: object = {}): object => ({ model: 'openai:m', messages: said, ...more });
const spoken = (id: string): object => ({
  id: 'chatcmpl-1',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: null, audio: { id, data: 'AA==', transcript: 'Hi' } },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
});
const spokenStream = (id: string): object[] => [
  { choices: [{ index: 0, delta: { role: 'assistant', audio: { id } } }] },
  { choices: [{ index: 0, delta: { audio: { data: 'AA==' } } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
];
const calledCode = (id: string): object => ({
  id: 'resp_not_stored_0123456789',
  status: 'completed',
  output: [
    {
      type: 'code_interpreter_call',
      id: 'ci_1',
      status: 'completed',
      container_id: id,
      code: '1',
      outputs: [],
    },
  ],
  usage,
});

let created = 0;
const newId = (prefix: string): string => `${prefix}${String((created += 1)).padStart(24, '0')}`;

/** Ways in which ann creates objects, with their ids. */
const WAYS: readonly [string, () => { path: string; body: object; answer: unknown; ids: string[] }][] = [
  [
    'a message with code execution',
    () => {
      const ids = [newId('container_'), newId('file_')];
      return { path: '/v1/messages', body: message(), answer: whole(ids[0] ?? '', ids[1] ?? ''), ids };
    },
  ],
  [
    'a stream with code execution',
    () => {
      const ids = [newId('container_'), newId('file_')];
      const body = message({ stream: true });
      return { path: '/v1/messages', body, answer: streamed(ids[0] ?? '', ids[1] ?? ''), ids };
    },
  ],
  [
    'a message with code execution on another API',
    () => {
      const ids = [newId('container_'), newId('file_')];
      const body = { model: 'anthropic:m', messages: said };
      return { path: '/v1/chat/completions', body, answer: whole(ids[0] ?? '', ids[1] ?? ''), ids };
    },
  ],
  [
    'an audio response',
    () => {
      const ids = [newId('audio_')];
      return { path: '/v1/chat/completions', body: chat(), answer: spoken(ids[0] ?? ''), ids };
    },
  ],
  [
    'an audio stream',
    () => {
      const ids = [newId('audio_')];
      const body = chat({ stream: true });
      return { path: '/v1/chat/completions', body, answer: spokenStream(ids[0] ?? ''), ids };
    },
  ],
  [
    'a response that is not stored',
    () => {
      const ids = [newId('cntr_')];
      const body = { model: 'openai:m', input: 'Hi', store: false };
      return { path: '/v1/responses', body, answer: calledCode(ids[0] ?? ''), ids };
    },
  ],
];

/** Requests that reference an ID, on each API. */
const named = (id: string): readonly [string, object][] => [
  ['/v1/messages', message({ container: id })],
  ['/v1/messages', message({ container: { id, skills: [] } })],
  [
    '/v1/messages',
    message({ messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: id }] }] }),
  ],
  ['/v1/messages/count_tokens', { model: 'anthropic:m', messages: said, container: id }],
  ['/v1/chat/completions', chat({ container: id })],
  ['/v1/chat/completions', chat({ messages: [{ role: 'assistant', audio: { id } }, ...said] })],
  ['/v1/responses', { model: 'openai:m', input: 'Hi', tools: [{ type: 'code_interpreter', container: id }] }],
];

describe.each(WAYS)('%s', (_name, make) => {
  test('creates objects that other users cannot reference', async () => {
    const { path, body, answer: given, ids } = make();
    answer = given;
    const { status, text } = await gateway.ask('POST', path, body, ann);
    expect([status, text]).toEqual([200, expect.any(String)]);
    received = [];
    for (const id of ids)
      for (const [route, asked] of named(id)) {
        const refused = await gateway.ask('POST', route, asked, eve);
        expect([route, refused.status]).toEqual([route, 404]);
      }
    expect(received).toEqual([]);
    answer = whole(newId('container_'), newId('file_'));
    const own = await gateway.ask('POST', '/v1/messages', message({ container: ids[0] }), ann);
    expect(own.status).toBe(200);
  });
});

test('files that are only mentioned in a response remain available to all users', async () => {
  const shared = newId('file-');
  answer = {
    ...calledCode(newId('cntr_')),
    output: [{ type: 'file_search_call', results: [{ file_id: shared }] }],
  };
  await gateway.ask('POST', '/v1/responses', { model: 'openai:m', input: 'Hi', store: false }, ann);
  answer = whole(newId('container_'), newId('file_'));
  const content = [{ type: 'document', source: { type: 'file', file_id: shared } }];
  const { status } = await gateway.ask(
    'POST',
    '/v1/messages',
    message({ messages: [{ role: 'user', content }] }),
    eve,
  );
  expect(status).toBe(200);
});
