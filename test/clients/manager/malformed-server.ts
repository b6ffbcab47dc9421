import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { DROPPED, REPAIRED } from '../../runtime/targets/manager/malformed-tools.ts';

/** Malformed tools, each in a separate list with a valid tool. */
export const MALFORMED_TOOLS: readonly unknown[] = [...REPAIRED, ...DROPPED];
const GOOD_TOOL = { name: 'good', inputSchema: { type: 'object' } };
const ANSWER_TOOL = { name: 'answer', inputSchema: { type: 'object' } };

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly protocolVersion?: string;
    readonly arguments?: { readonly answer?: object };
  };
}

export interface MalformedServer {
  /** The server whose tool `answer` responds with its argument: `{"result": …}` or `{"error": …}`. */
  readonly results: string;
  /** One server per malformed tool. */
  readonly tools: readonly string[];
  readonly close: () => Promise<void>;
}

/** Starts MCP servers over streamable HTTP that violate the specification on request. */
export async function startMalformedServer(): Promise<MalformedServer> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    results: `${origin}/results`,
    tools: MALFORMED_TOOLS.map((_, index) => `${origin}/tools/${index}`),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const message = JSON.parse(await text(request)) as Message;
  if (message.id === undefined) return void response.writeHead(202).end();
  const body = { jsonrpc: '2.0', id: message.id, ...responseTo(message, request.url ?? '') };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function responseTo({ method, params }: Message, path: string): object {
  if (method === 'initialize') {
    return {
      result: {
        protocolVersion: params?.protocolVersion ?? '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'malformed', version: '1.0.0' },
      },
    };
  }
  if (method === 'tools/list') return { result: { tools: toolsAt(path) } };
  if (method === 'tools/call') return params?.arguments?.answer ?? { result: { content: [] } };
  return method === 'ping' ? { result: {} } : { error: { code: -32_601, message: 'Method not found' } };
}

const toolsAt = (path: string): unknown[] =>
  path === '/results' ? [ANSWER_TOOL] : [MALFORMED_TOOLS[Number(path.split('/').at(-1))], GOOD_TOOL];
