import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { createMcpClient, failureText } from '#gateway/requests/tools/mcp-client.ts';

/** A server whose list of tools has no end; each page has one tool of this many characters. */
async function startEndless(characters: number) {
  let pages = 0;
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, method } = (await json(request)) as { readonly id?: number; readonly method: string };
    if (method === 'tools/list') pages += 1;
    const tool = { name: `t${pages}`, description: 'x'.repeat(characters), inputSchema: {} };
    const result = method === 'tools/list' ? { tools: [tool], nextCursor: String(pages) } : {};
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, pages: () => pages };
}

test('a list of tools is only read up to a size, because it is kept and part of each request', async () => {
  const { url, pages } = await startEndless(1_048_576);
  const client = createMcpClient({ url, headers: {}, timeoutMs: 30_000, version: '1' });
  afterAll(() => client.close());
  const failure = await client.listTools(new AbortController().signal).catch((error: unknown) => error);
  expect(failureText('desk', failure)).toBe(
    "The tools of MCP server 'desk' have more than 4194304 characters.",
  );
  expect(pages()).toBe(4);
});
