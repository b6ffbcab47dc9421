import { Hono } from 'hono';
import { answerRequest } from '#serve/http/fetch-exchange.ts';
import type { McpHttp } from '#serve/mcp/streamable-http.ts';

/** Raw requests to an MCP endpoint without a socket. */
export interface Endpoint {
  readonly post: (
    message: unknown,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ) => Promise<Response>;
  readonly send: (method: string, headers?: Record<string, string>) => Promise<Response>;
  /** Starts a session and returns its ID. */
  readonly initialize: () => Promise<string>;
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

export const call = (id: number, name: string): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name },
});

const URL = 'http://localhost/mcp';
const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

export function endpoint(mcp: Pick<McpHttp, 'handle'>): Endpoint {
  const app = new Hono().all('*', (c) => answerRequest(c, (exchange) => mcp.handle(exchange)));
  const ask = async (request: Request): Promise<Response> => await app.fetch(request);
  const post: Endpoint['post'] = (message, headers = {}, signal) => {
    const body = typeof message === 'string' ? message : JSON.stringify(message);
    const init = { method: 'POST', headers: { ...HEADERS, ...headers }, body };
    return ask(new Request(URL, { ...init, ...(signal && { signal }) }));
  };
  return {
    post,
    send: (method, headers = {}) => ask(new Request(URL, { method, headers })),
    async initialize() {
      const response = await post(INITIALIZE);
      await response.text();
      const id = response.headers.get('mcp-session-id');
      if (response.status !== 200 || id === null) throw new Error(`initialize: ${response.status}`);
      return id;
    },
  };
}

/** The JSON-RPC messages in a response, which is JSON or a stream that ends. */
export async function messages(response: Response): Promise<unknown[]> {
  const text = await response.text();
  if (text.startsWith('{')) return [JSON.parse(text)];
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data));
}
