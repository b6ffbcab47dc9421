import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { afterEach, expect } from 'vitest';
import { TWO } from './config.ts';
import { shareManagers } from './shared-managers.ts';
import { connectWithRoots, useEverything } from './use-session.ts';
import { verifiesManaged } from './verifies.ts';

const share = shareManagers();

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

verifiesManaged('manager:sse', async (arm) => {
  const config = `${TWO}\n[[groups]]\nname = "small"\nservers = ["two"]\n`;
  const { url } = await share(arm, { config });
  const connect = async (path: string): ReturnType<typeof connectWithRoots> => {
    const connected = await connectWithRoots(new SSEClientTransport(new URL(path, url)));
    clients.push(connected.client);
    return connected;
  };
  const { client, changes } = await connect('/sse');
  await useEverything(client, changes);
  const one = await connect('/sse/one');
  expect((await one.client.listTools()).tools.map(({ name }) => name)).toContain('add');
  const selected = await connect('/sse?servers=two');
  const names = (await selected.client.listTools()).tools.map(({ name }) => name);
  expect(names.filter((name) => !name.startsWith('two__'))).toEqual([]);
  expect(names.length).toBeGreaterThan(5);
  const grouped = await connect('/groups/small/sse');
  const own = (await grouped.client.listTools()).tools.map(({ name }) => name);
  expect(own).toEqual(names);
  await expect(grouped.client.callTool({ name: 'one__echo', arguments: {} })).rejects.toThrow(
    /not allowed|Unknown tool/,
  );
  await expect(connect('/groups/small/sse/one')).rejects.toThrow(/404/);
  await expect(connect('/groups/none/sse')).rejects.toThrow(/404/);
  await expect(connect('/sse/nobody')).rejects.toThrow(/404/);
});
