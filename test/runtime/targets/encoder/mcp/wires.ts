import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { serve } from '@hono/node-server';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createLineTransport } from '#serve/mcp/line-transport.ts';
import type { EncoderContext } from '#encoder/context.ts';
import { mcpRoutes, type McpRoutesOptions } from '#encoder/mcp/routes.ts';
import { serveStdio } from '#encoder/mcp/stdio.ts';

/** A served model that SDK clients can connect to. */
export interface Served {
  /** A transport for one more client. */
  readonly transport: () => Transport;
  readonly close: () => Promise<void>;
}

export interface ServedOverHttp extends Served {
  readonly url: URL;
}

/** A real server on a free port. */
export async function serveHttp(
  context: EncoderContext,
  options: Partial<McpRoutesOptions> = {},
): Promise<ServedOverHttp> {
  const hostname = '127.0.0.1';
  const mcp = mcpRoutes(context, { hostname, ...options });
  const listening = Promise.withResolvers<AddressInfo>();
  const server = serve({ fetch: mcp.routes.fetch, hostname, port: 0 }, listening.resolve);
  const url = new URL(`http://${hostname}:${(await listening.promise).port}/mcp`);
  return {
    url,
    transport: () => new StreamableHTTPClientTransport(url),
    async close() {
      await mcp.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Streams like those of a separate process, one pair per client. */
export function serveStreams(context: EncoderContext): Promise<Served> {
  const served: { stdin: PassThrough; done: Promise<void> }[] = [];
  return Promise.resolve({
    transport() {
      const [stdin, stdout] = [new PassThrough(), new PassThrough()];
      served.push({ stdin, done: serveStdio(context, { stdin, stdout }) });
      // The wire is the same in both directions.
      return createLineTransport({ stdin: stdout, stdout: stdin });
    },
    async close() {
      for (const { stdin, done } of served) {
        stdin.end();
        await done;
      }
    },
  });
}

export const WIRES = { stdio: serveStreams, http: serveHttp } as const;

export async function connect(served: Served): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(served.transport());
  return client;
}
