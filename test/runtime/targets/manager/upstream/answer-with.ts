import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

interface Asked {
  readonly httpMethod: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The JSON-RPC message; undefined if there was no body. */
  readonly message: { readonly id?: number; readonly method?: string; readonly params?: unknown } | undefined;
}

export type Answer = (asked: Asked, response: ServerResponse) => void;

export interface Called {
  readonly id: number | undefined;
  readonly name: string;
  readonly args: unknown;
}

/** The same for tool calls only; there is no stream to listen to. */
export const answerCalls = (answer: (called: Called, response: ServerResponse) => void): Promise<string> =>
  answerWith(({ message }, response) => {
    if (!message) return void response.writeHead(405).end();
    const { name, arguments: args } = message.params as { name: string; arguments: unknown };
    return answer({ id: message.id, name, args }, response);
  });

/** Handles `initialize`, and lets `answer` respond to everything else. Returns the URL. */
export async function answerWith(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const message = body === '' ? undefined : (JSON.parse(body) as NonNullable<Asked['message']>);
      if (message?.method === 'initialize') return sendJson(response, answerTo(message.id, INITIALIZED));
      if (message?.method?.startsWith('notifications/')) return response.writeHead(202).end();
      return answer({ httpMethod: request.method ?? '', headers: request.headers, body, message }, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'by hand', version: '1' },
};

export const answerTo = (id: number | undefined, result: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result });

export const sendJson = (response: ServerResponse, body: string): ServerResponse =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
