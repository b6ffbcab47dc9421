import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openRecorded } from './open-recorded.ts';
import { remoteLaunch } from './remote-fixture.ts';
import { specOf } from './spec.ts';

const HEADER_MISMATCH = { code: -32_020, message: 'The header Mcp-Param-Region is missing.' };
const TOOL = {
  name: 'routed',
  inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
};

/** A server of revision 2026-07-28 that requires an argument in a header, unless it rejects every call. */
async function startRouted(accepts: boolean): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const results: Record<string, object> = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    'tools/list': { tools: [TOOL] },
    'tools/call': { content: [{ type: 'text', text: 'routed' }] },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, method } = (await json(request)) as { id: number; method: string };
    asked.push(method);
    const misses = method === 'tools/call' && !(accepts && request.headers['mcp-param-region'] === 'north');
    const result = misses ? undefined : results[method];
    const error = misses ? HEADER_MISMATCH : { code: -32_601, message: 'not found' };
    response.writeHead(result ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, asked };
}

test('a call rejected for its headers is retried with the headers that the tool requires', async () => {
  const { url, asked } = await startRouted(true);
  const { text } = await openRecorded(specOf(remoteLaunch(url)));
  expect(await text('routed', { region: 'north' })).toBe('routed');
  expect(asked).toEqual(['initialize', 'server/discover', 'tools/call', 'tools/list', 'tools/call']);
});

test('a call rejected for its headers is retried only once', async () => {
  const { url, asked } = await startRouted(false);
  const { text } = await openRecorded(specOf(remoteLaunch(url)));
  await expect(text('routed', { region: 'north' })).rejects.toMatchObject({ code: -32_020 });
  expect(asked.filter((method) => method === 'tools/call')).toHaveLength(2);
});
