import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import { type Managed, openManager } from './managed.ts';
import { openSession, post } from './raw.ts';

let managed: Managed;
let client: Client;
beforeAll(async () => {
  managed = await openManager({ servers: [serverSpec('echo', 'echo')] });
  await managed.running('echo');
  client = await managed.connect('/mcp/echo');
});
afterAll(() => managed.close());

/** Without the SDK's own parsing of results. */
const call = (name: string, args: object = {}) =>
  client.request({ method: 'tools/call', params: { name, arguments: args } }, ResultSchema);

test('a single server reports its own name and version', () => {
  expect(client.getServerVersion()).toMatchObject({ name: 'echo', version: '1.2.3' });
  expect(client.getInstructions()).toBe('Call the tools of echo.');
  expect(client.getServerCapabilities()).toEqual({
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true },
  });
});

test('tools keep their titles, full schemas, annotations and _meta', async () => {
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'add')).toMatchObject({
    title: 'Adder',
    annotations: { readOnlyHint: true },
  });
  expect(tools.find(({ name }) => name === 'structured')?.outputSchema).toEqual({
    type: 'object',
    properties: { city: { type: 'string' } },
  });
  expect(tools.find(({ name }) => name === 'schema')).toMatchObject({
    _meta: { kept: true },
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      additionalProperties: false,
      properties: { place: { $ref: '#/$defs/place' } },
      $defs: { place: { type: 'object', properties: { city: { type: 'string' } } } },
    },
  });
});

describe('unchanged results', () => {
  test('a result keeps all content blocks', async () => {
    const { content } = await call('blocks');
    expect(content).toMatchObject([{ text: 'one' }, { type: 'image' }, { text: 'two' }]);
  });

  test('a result can be an error without text but with structured content', async () => {
    expect(await call('is-error-without-text')).toEqual({
      content: [],
      structuredContent: { reason: 'tired' },
      isError: true,
    });
  });

  test('a result keeps all digits of long numbers, in both directions', async () => {
    const session = await openSession(managed.origin, '/mcp/echo');
    const body = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"number","arguments":{"value":9007199254740993123}}}`;
    const answer = await post(managed.origin, '/mcp/echo', { body, headers: session });
    const text = await answer.text();
    expect(text).toContain('"structuredContent":{"value":9007199254740993123}');
  });
});

test('a server error keeps its code, message and data', async () => {
  await expect(call('rpc-error', { code: -32_050 })).rejects.toMatchObject({
    code: -32_050,
    message: expect.stringContaining('The request failed.') as string,
    data: { hint: 'none' },
  });
});

test("progress is reported under the client's token", async () => {
  const told: unknown[] = [];
  await client.callTool({ name: 'progress', arguments: { steps: 3 } }, undefined, {
    onprogress: (progress) => void told.push(progress),
  });
  expect(told).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })));
});

test('progress arrives during the call', async () => {
  const first = Promise.withResolvers<void>();
  const running = client.callTool({ name: 'progress-then-hold', arguments: { key: 'p' } }, undefined, {
    onprogress: () => first.resolve(),
  });
  await first.promise;
  await client.callTool({ name: 'release', arguments: { key: 'p' } });
  expect((await running).content).toEqual([{ type: 'text', text: 'released' }]);
});

describe('cancellation on the server', () => {
  test('a call is canceled on the server when the client cancels it', async () => {
    const line = managed.nextLogLine('echo', /^sleeping/);
    const cancel = new AbortController();
    const running = client.callTool({ name: 'sleep-until-cancelled', arguments: {} }, undefined, {
      signal: cancel.signal,
    });
    running.catch(() => undefined);
    await line;
    const cancelled = managed.nextLogLine('echo', /^cancelled/);
    cancel.abort('enough');
    await expect(running).rejects.toThrow('enough');
    expect(await cancelled).toMatch(/^cancelled/);
  });

  test('a call is canceled on the server when its session ends', async () => {
    const other = await managed.connect('/mcp/echo');
    const line = managed.nextLogLine('echo', /^sleeping/);
    other.callTool({ name: 'sleep-until-cancelled', arguments: {} }).catch(() => undefined);
    await line;
    const cancelled = managed.nextLogLine('echo', /^cancelled/);
    await managed.endSession(other);
    expect(await cancelled).toMatch(/^cancelled/);
  });
});
