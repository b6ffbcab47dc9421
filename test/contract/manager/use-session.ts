import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ListRootsRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'vitest';

const ROOTS = { roots: [{ uri: 'file:///home/ada' }] };

/** An SDK client with roots that counts notifications about changed tools. */
export async function connectWithRoots(
  transport: Transport,
): Promise<{ readonly client: Client; readonly changes: () => number }> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } });
  let changes = 0;
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changes += 1));
  await client.connect(transport);
  return { client, changes: () => changes };
}

/** Uses every MCP feature that the servers `one` and `two` of `echo.mjs` offer. */
export async function useEverything(client: Client, changes: () => number): Promise<void> {
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['one__echo', 'two__echo']));
  expect(await client.callTool({ name: 'two__echo', arguments: { message: 'hi' } })).toMatchObject({
    content: [{ type: 'text', text: 'hi' }],
  });
  const prompt = await client.getPrompt({ name: 'one__greet', arguments: { name: 'Ada' } });
  expect(JSON.stringify(prompt.messages)).toContain('Ada');
  const { resources } = await client.listResources();
  expect(resources).toHaveLength(6);
  const [{ uri } = { uri: '' }] = resources;
  expect((await client.readResource({ uri })).contents).toHaveLength(1);
  expect((await client.listResourceTemplates()).resourceTemplates.length).toBeGreaterThan(0);
  await client.setLoggingLevel('info').catch(() => undefined);

  // The SDK's client drops a progress notification that arrives together with the result, so the call ends after it.
  const key = 'progress';
  const reported = Promise.withResolvers<number>();
  const called = client.callTool({ name: 'one__progress-then-hold', arguments: { key } }, undefined, {
    onprogress: ({ progress }) => reported.resolve(progress),
  });
  expect(await reported.promise).toBe(1);
  await client.callTool({ name: 'one__release', arguments: { key } });
  expect(JSON.stringify(await called)).toContain('released');

  const abort = new AbortController();
  const held = client.callTool({ name: 'one__progress-then-hold', arguments: { key: 'x' } }, undefined, {
    signal: abort.signal,
    onprogress: () => abort.abort('enough'),
  });
  await expect(held).rejects.toThrow(/enough/);

  const asked = await client.callTool({ name: 'one__ask', arguments: { method: 'roots/list' } });
  expect(JSON.stringify(asked)).toContain('file:///home/ada');
  await expect(client.callTool({ name: 'one__nothing' })).rejects.toThrow(/nothing/);

  const before = changes();
  await client.callTool({ name: 'one__list-changed', arguments: { list: 'tools' } });
  await expect.poll(changes).toBeGreaterThan(before);
  await client.ping();
}
