import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { ANYONE } from '#manager/access/caller.ts';
import { createLongResults } from '#manager/mcp/long-results.ts';
import type { McpCall } from '#manager/mcp/mcp-call.ts';
import { systemClock } from '#platform/clock.ts';

test('the rest of a result is only readable while the caller can use everything that it is from', async () => {
  const longResults = createLongResults({ clock: systemClock, metrics: new Registry(), resultLimit: 4000 });
  const denied = new Set<string>();
  const caller: McpCall['caller'] = {
    ...ANYONE,
    canUse: (server, tool) => !denied.has(`tool ${server}/${tool}`),
    canRead: (server, kind, name) => !denied.has(`${kind} ${server}/${name}`),
  };
  const call = { caller, requestId: '1', params: {}, signal: new AbortController().signal };
  const long = { content: [{ type: 'text', text: 'x'.repeat(9000) }] };
  const { content } = longResults.limit(call, long, {
    sources: [
      { server: 's', kind: 'tool', name: 't' },
      { server: 's', kind: 'prompt', name: 'p' },
      { server: 's', kind: 'resource', name: 'memo://one' },
    ],
    endpoint: undefined,
    isListed: false,
  });
  const id = /"id":"([^"]+)"/.exec(JSON.stringify(content).replaceAll('\\', ''))?.[1];
  const callTool = longResults.extend(new Map([['tools/call', () => Promise.resolve({})]]), undefined);
  const read = async (): Promise<unknown> => {
    const params = { name: 'mcp_manager_read_more', arguments: { id } };
    return await callTool.get('tools/call')?.({ ...call, params });
  };
  expect(JSON.stringify(await read())).toContain('xxx');
  for (const source of ['tool s/t', 'prompt s/p', 'resource s/memo://one']) {
    denied.add(source);
    await expect(read()).rejects.toThrow('unknown or expired');
    denied.clear();
  }
});
