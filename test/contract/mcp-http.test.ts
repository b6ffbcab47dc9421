import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, expect } from 'vitest';
import { ask, type HttpAnswer, JSON_TYPE, post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifiesServed } from './verifies.ts';

const serve = shareServers();

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: 'contract', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  clients.push(client);
  return client;
}

interface ObjectSchema {
  readonly properties: Record<string, { readonly type?: string; readonly description?: string }>;
  readonly required: readonly string[];
}

verifiesServed('mcp:schemas', async (arm) => {
  for (const model of ['sentiment', 'ner', 'embedder']) {
    const { url } = await serve(arm, model);
    const { tools } = await (await connect(url)).listTools();
    const document = JSON.parse((await ask(`${url}/openapi.json`)).text) as {
      components: { schemas: Record<'PredictRequest' | 'PredictResponse', ObjectSchema> };
    };
    const { PredictRequest, PredictResponse } = document.components.schemas;
    const facts = ({ properties, required }: ObjectSchema): object => ({
      names: Object.keys(properties),
      words: Object.values(properties).map(({ description }) => description),
      required: [...required].sort(),
    });
    expect(facts(tools[0]?.inputSchema as unknown as ObjectSchema)).toEqual(facts(PredictRequest));
    expect(facts(tools[0]?.outputSchema as unknown as ObjectSchema)).toEqual(facts(PredictResponse));
  }
});

verifiesServed('mcp:result', async (arm) => {
  for (const [model, request] of [
    ['sentiment', { inputs: ['I love this', ['a', 'b']], top_k: 1, metadata: { k: 'v' } }],
    ['ner', { inputs: ['Anna lives in Paris'], aggregation: 'simple' }],
    ['embedder', { inputs: ['I love this'], normalize: true }],
  ] as const) {
    const { url } = await serve(arm, model);
    const client = await connect(url);
    // The client validates the structured content against the tool's schema once it has received the schema.
    await client.listTools();
    const result = await client.callTool({ name: 'run_encoder', arguments: request });
    const { text } = await post(`${url}/predict`, request);
    expect(result.content).toEqual([{ type: 'text', text }]);
    expect(result.structuredContent).toEqual(JSON.parse(text));
    expect(result.isError).toBeUndefined();
  }
});

verifiesServed('mcp:errors', async (arm) => {
  const { url } = await serve(arm, 'sentiment', ['--max-client-batch', '2']);
  const client = await connect(url);
  const tool = { name: 'run_encoder' };
  for (const [params, code, message] of [
    [{ ...tool, arguments: { inputs: [] } }, -32_600, 'Cannot tokenize empty string'],
    [{ ...tool, arguments: { inputs: ['a', ''] } }, -32_600, 'Cannot tokenize empty string'],
    [
      { ...tool, arguments: { inputs: ['a', 'b', 'c'] } },
      -32_600,
      'Too many inputs: the request has 3, but the maximum is 2 (--max-client-batch). Split it into several requests.',
    ],
    [tool, -32_600, 'inputs is missing'],
    [{ ...tool, arguments: { inputs: [1] } }, -32_600, 'inputs/0 must be text or a pair of texts, not 1'],
    [{ name: 'other' }, -32_602, 'Unknown tool: "other". The only tool is run_encoder.'],
  ] as const) {
    const error = await client.callTool(params as { name: string }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({ code, message: `MCP error ${code}: ${message}`, data: undefined });
  }
  await expect(client.listPrompts()).rejects.toMatchObject({ code: -32_601 });
  const good = await client.callTool({ ...tool, arguments: { inputs: ['I love this'] } });
  expect(good.structuredContent).toMatchObject({ results: [{ predicted_label: 'POSITIVE' }] });
});

const ACCEPT = { accept: 'application/json, text/event-stream' };
const initialize = (protocolVersion: string): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'contract', version: '1' } },
});
const PING = { jsonrpc: '2.0', id: 2, method: 'ping' };

const messageIn = ({ text }: HttpAnswer): unknown => JSON.parse(text);

verifiesServed('mcp:versions', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  for (const [asked, answered] of [
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2024-11-05', '2024-11-05'],
    ['2025-03-26', '2025-03-26'],
    ['1999-01-01', '2025-06-18'],
    ['2124-01-01', '2025-06-18'],
  ] as const) {
    const answer = await post(`${url}/mcp`, initialize(asked), ACCEPT);
    expect(answer).toMatchObject({ status: 200, type: 'application/json' });
    expect(messageIn(answer)).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: { protocolVersion: answered, capabilities: { tools: {} } },
    });
  }
});

const opened = async (url: string, version: string): Promise<Record<string, string>> => {
  const answer = await post(url, initialize(version), ACCEPT);
  return { ...ACCEPT, 'mcp-session-id': String(answer.headers['mcp-session-id']) };
};

verifiesServed('mcp:batches', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  const list = [PING, { jsonrpc: '2.0', method: 'notifications/initialized' }, { ...PING, id: 'b' }];
  const answer = await post(`${url}/mcp`, list, await opened(`${url}/mcp`, '2025-03-26'));
  expect(messageIn(answer)).toEqual([
    { jsonrpc: '2.0', id: 2, result: {} },
    { jsonrpc: '2.0', id: 'b', result: {} },
  ]);
  for (const version of ['2024-11-05', '2025-06-18', '2025-11-25']) {
    const refused = await post(`${url}/mcp`, list, await opened(`${url}/mcp`, version));
    expect(refused.status).toBe(400);
    expect(messageIn(refused)).toMatchObject({ id: null, error: { code: -32_600 } });
  }
});

verifiesServed('mcp:trailing-slash', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  const session = await opened(`${url}/mcp/`, '2025-06-18');
  expect(messageIn(await post(`${url}/mcp`, PING, session))).toMatchObject({ id: 2, result: {} });
  expect(messageIn(await post(`${url}/mcp/`, PING, session))).toMatchObject({ id: 2, result: {} });
  expect((await ask(`${url}/mcp/`, { method: 'DELETE', headers: session })).status).toBe(200);
});

verifiesServed('mcp:refused-lists', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  const session = await opened(`${url}/mcp`, '2025-06-18');
  for (const method of [
    'prompts/list',
    'resources/list',
    'resources/templates/list',
    'completion/complete',
  ]) {
    const answer = await post(`${url}/mcp`, { jsonrpc: '2.0', id: 3, method }, session);
    expect([answer.status, messageIn(answer)]).toEqual([
      200,
      { jsonrpc: '2.0', id: 3, error: { code: -32_601, message: `Method not found: ${method}` } },
    ]);
  }
});

verifiesServed('mcp:server-info', async (arm) => {
  const { url } = await serve(arm, 'ner');
  const client = await connect(url);
  expect(client.getServerVersion()).toMatchObject({
    name: 'encoderfile',
    description: 'ner 1.0.0, a token_classification model.',
  });
  expect(client.getInstructions()).toMatch(
    /^This server runs one model, ner 1\.0\.0 \(token_classification\), as the tool run_encoder\. Build: encoderfile .+, Node \d+\.\d+\.\d+, ONNX Runtime .+, tokenizers .+, .+\.$/,
  );
});

verifiesServed('mcp:sessions', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  const started = await post(`${url}/mcp`, initialize('2025-06-18'), ACCEPT);
  const id = String(started.headers['mcp-session-id']);
  const session = { ...ACCEPT, 'mcp-session-id': id };
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
  expect(await post(`${url}/mcp`, initialized, session)).toMatchObject({ status: 202, text: '' });
  expect(messageIn(await post(`${url}/mcp`, PING, session))).toEqual({ jsonrpc: '2.0', id: 2, result: {} });

  for (const method of ['GET', 'DELETE'])
    expect((await ask(`${url}/mcp`, { method, headers: ACCEPT })).status).toBe(400);
  expect((await post(`${url}/mcp`, PING, ACCEPT)).status).toBe(400);
  const unknown = await post(`${url}/mcp`, PING, { ...session, 'mcp-session-id': 'nope' });
  expect(unknown.status).toBe(404);
  expect(JSON.parse(unknown.text)).toMatchObject({
    error: { code: -32_001, message: 'Session not found. Send `initialize` again.' },
  });
  const odd = { ...session, 'mcp-protocol-version': '1999-01-01' };
  expect((await post(`${url}/mcp`, PING, odd)).status).toBe(400);

  expect((await ask(`${url}/mcp`, { method: 'DELETE', headers: session })).status).toBe(200);
  expect((await post(`${url}/mcp`, PING, session)).status).toBe(404);
});

verifiesServed('mcp:statuses', async (arm) => {
  const { url } = await serve(arm, 'sentiment', ['--max-body', '1000']);
  const first = initialize('2025-06-18');
  const statusOf = async (body: unknown, headers: Record<string, string>): Promise<number> => {
    const answer = await post(`${url}/mcp`, body, headers);
    expect(JSON.parse(answer.text)).toMatchObject({ jsonrpc: '2.0', id: null, error: {} });
    return answer.status;
  };
  expect(await statusOf('{', ACCEPT)).toBe(400);
  expect(await statusOf({ method: 'ping' }, ACCEPT)).toBe(400);
  expect(await statusOf(first, { accept: 'application/json' })).toBe(406);
  expect(await statusOf(first, { ...ACCEPT, 'content-type': 'text/plain' })).toBe(415);
  expect(await statusOf({ ...first, padding: 'x'.repeat(1000) }, ACCEPT)).toBe(413);
  const put = await ask(`${url}/mcp`, { method: 'PUT', headers: { ...ACCEPT, ...JSON_TYPE } });
  expect([put.status, put.headers.allow]).toEqual([405, 'GET, POST, DELETE']);
  expect((await post(`${url}/mcp`, first, ACCEPT)).status).toBe(200);
});

verifiesServed('mcp:hosts', async (arm) => {
  const flags = ['--cors-origins', 'https://app.example/', '--allowed-hosts', 'model.example'];
  const [closed, allowing] = [await serve(arm, 'sentiment'), await serve(arm, 'sentiment', flags)];
  const statusOf = async (url: string, headers: Record<string, string>): Promise<number> =>
    (await post(`${url}/mcp`, initialize('2025-06-18'), { ...ACCEPT, ...headers })).status;
  for (const { url } of [closed, allowing]) {
    expect(await statusOf(url, { host: 'localhost' })).toBe(200);
    expect(await statusOf(url, { host: 'evil.example' })).toBe(403);
    expect(await statusOf(url, { origin: 'https://evil.example' })).toBe(403);
    expect(await statusOf(url, { host: 'evil.example', origin: 'http://evil.example' })).toBe(403);
    expect(await statusOf(url, { origin: 'http://localhost:3000' })).toBe(403);
    expect(await statusOf(url, { origin: new URL(url).origin })).toBe(200);
  }
  expect(await statusOf(closed.url, { host: 'model.example' })).toBe(403);
  expect(await statusOf(allowing.url, { host: 'model.example' })).toBe(200);
  expect(await statusOf(closed.url, { origin: 'https://app.example' })).toBe(403);
  expect(await statusOf(allowing.url, { origin: 'https://app.example' })).toBe(200);
});
