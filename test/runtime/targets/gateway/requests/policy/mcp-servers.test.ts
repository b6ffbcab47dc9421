import { once } from 'node:events';
import { afterAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'undici';
import type { ToolSettings } from '#gateway/shared/tool-settings.ts';
import { startFixture } from '../../fixture-provider.ts';
import { startRecorder } from '../../recording-proxy.ts';
import { instanceOf, priced, runGateway } from '../completions/running-gateway.ts';
import { createSettings } from '../tools/tool-settings.ts';
import { ask, type Way, WAYS } from './ways.ts';

// No way to a provider passes on an MCP server that the configuration does not allow: real requests to real servers
// that record what arrives.
const [openai, anthropic, gemini, words] = [
  await startFixture('openai'),
  await startFixture('anthropic'),
  await startFixture('gemini'),
  await startFixture('encoder'),
];
const arrived: string[] = [];
const recorders = {
  openai: await startRecorder(openai.url, arrived),
  anthropic: await startRecorder(anthropic.url, arrived),
  gemini: await startRecorder(gemini.url, arrived),
  words: await startRecorder(words.url, arrived),
};
const models = ['openai:good', 'anthropic:good', 'gemini:good', 'openai:whisper-1', 'encoder:words'];

/** A gateway whose only configured server, `desk`, does not respond. */
async function start(otherServers: ToolSettings['otherServers']) {
  const gateway = await runGateway({
    models: {
      providers: [
        instanceOf('openai', { ...openai, url: recorders.openai.url }, { dialect: { hasResponses: true } }),
        instanceOf('anthropic', { ...anthropic, url: recorders.anthropic.url }),
        instanceOf('gemini', { ...gemini, url: recorders.gemini.url }),
        { name: 'words', type: 'encoder', baseUrl: recorders.words.url, local: true },
      ],
      pricing: models.map((model) => priced(model, 1000, 1000)),
      tools: createSettings({ desk: { url: 'http://127.0.0.1:9/mcp' } }, { otherServers }),
    },
  });
  afterAll(() => gateway.stop());
  await gateway.user('ann');
  const finish = async (): Promise<void> => void (await fetch(`${openai.url}/finish`, { method: 'POST' }));
  return { url: gateway.url, key: await gateway.key({ user_id: 'ann' }), finish };
}
const rejecting = await start('reject');
const passing = await start('provider');

const URL_OF_OTHER = 'https://other-server.example/mcp';
const other = { type: 'mcp', server_label: 'other', server_url: URL_OF_OTHER };
const desk = { type: 'mcp', server_label: 'desk' };
const ITEM = { type: 'tool_search_output', call_id: 'one', tools: [other] };
/** All forms in which a request can contain a server that is not configured. */
const FORMS: readonly (readonly [name: string, members: object])[] = [
  ['tools', { tools: [other] }],
  ['tools, written in another way', { Tools: [{ TYPE: 'MCP', serverUrl: URL_OF_OTHER }] }],
  ['mcp_servers', { mcp_servers: [{ type: 'url', name: 'other', url: URL_OF_OTHER }] }],
  ['mcpServers by label', { mcpServers: { other: { url: URL_OF_OTHER } } }],
  [
    'mcpServers of a tool',
    { tools: [{ mcpServers: [{ name: 'other', streamableHttpTransport: { url: URL_OF_OTHER } }] }] },
  ],
  ['tools of a namespace', { tools: [{ type: 'namespace', name: 'all', tools: [other] }] }],
  ['tools of an input item', { input: [{ role: 'user', content: 'Hello' }, ITEM] }],
  ['tools of a nested request', { generateContentRequest: { tools: [other] } }],
];
const ways = WAYS.filter(({ isFixed }) => isFixed !== true).map((way) => [way.name, way] as const);

async function sent(gateway: typeof rejecting, way: Way, members: object) {
  const before = arrived.length;
  const { status, text } = await way.send(gateway, 'Hello', members);
  return { status, text, seen: arrived.slice(before).join('\n') };
}

describe.each(ways)('%s', (_name, way) => {
  test.each(FORMS)('a server that is not configured never reaches a provider: %s', async (_form, members) => {
    const { status, text, seen } = await sent(rejecting, way, members);
    expect([400, 422]).toContain(status);
    expect(text).not.toBe('');
    expect(seen).not.toContain('other-server');
  });

  test('a configured server never reaches a provider', async () => {
    for (const gateway of [rejecting, passing]) {
      const { status, seen } = await sent(gateway, way, { tools: [desk] });
      expect([400, 422, 501, 502]).toContain(status);
      expect(seen).not.toContain('"desk"');
    }
  });

  test('functions are not affected', async () => {
    const { seen, text } = await sent(rejecting, way, {
      tools: [{ type: 'function', function: { name: 'mcp', parameters: { type: 'object' } } }],
    });
    expect(text).not.toContain('MCP server');
    expect(seen).not.toBe('');
  });
});

const line = (tools: readonly object[]) => ({
  model: 'openai:good',
  messages: [{ role: 'user', content: 'Hi' }],
  tools,
});
async function upload(gateway: typeof rejecting, tools: readonly object[]) {
  const request = { custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body: line(tools) };
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new File([JSON.stringify(request)], 'batch.jsonl'));
  return await ask(gateway, 'POST', '/v1/files', form);
}

test('the error of a batch names the line, the server and the APIs with tools', async () => {
  const { status, text } = await upload(rejecting, [desk]);
  const { error } = JSON.parse(text) as { readonly error: { readonly message: string } };
  expect([status, error.message]).toEqual([
    422,
    'Line 1 of the batch file: MCP server "desk" cannot be used here, because the gateway runs tools only in direct requests to the Chat Completions, Responses, Messages and Gemini APIs.',
  ]);
});

test('with `other_servers: provider`, a batch contains the servers that are not configured', async () => {
  const before = arrived.length;
  expect((await upload(passing, [other])).status).toBe(200);
  expect(arrived.slice(before).join('\n')).toContain('other-server');
  expect((await upload(passing, [desk])).status).toBe(422);
});

describe('realtime sessions', () => {
  /** Sends the events; returns the types and messages of the responses until the last update of the session. */
  async function events(gateway: typeof rejecting, all: readonly object[]): Promise<string[]> {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime?model=openai:good`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    });
    const received: string[] = [];
    const last = new Promise<void>((resolve) =>
      socket.addEventListener('message', ({ data }) => {
        received.push(String(data));
        if (String(data).includes('the last one')) resolve();
      }),
    );
    await once(socket, 'open');
    const end = { type: 'session.update', session: { instructions: 'the last one' } };
    for (const event of [...all, end]) socket.send(JSON.stringify(event));
    await last;
    socket.close();
    await once(socket, 'close');
    return received.map((data) => {
      const { type, error } = JSON.parse(data) as {
        readonly type: string;
        readonly error?: { readonly message: string };
      };
      return error?.message.slice(0, 38) ?? type;
    });
  }
  const update = (tools: readonly object[]) => ({ type: 'session.update', session: { tools } });
  const nested = { input: [ITEM] };

  test.each([
    ['tools of the session', update([other])],
    ['tools of a configured server', update([desk])],
    ['tools of a response', { type: 'response.create', response: { tools: [other] } }],
    ['tools of an input item of a response', { type: 'response.create', response: nested }],
    ['tools of an item', { type: 'conversation.item.create', item: ITEM }],
  ])('%s are not passed on', async (_name, event) => {
    const all = await events(rejecting, [event]);
    expect(all.toSorted()).toEqual([
      expect.stringMatching(/^MCP server "/),
      'session.created',
      'session.updated',
    ]);
  });

  test('with `other_servers: provider`, servers that are not configured are passed on', async () => {
    // The gateway's error can arrive before the provider's responses.
    expect((await events(passing, [update([other]), update([desk])])).toSorted()).toEqual([
      expect.stringMatching(/^MCP server "desk" cannot/),
      'session.created',
      'session.updated',
      'session.updated',
    ]);
  });
});
