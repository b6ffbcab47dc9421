import { startStub, type StubServer } from './stub-server.ts';

/** The features of an MCP server. */
export interface Offer {
  readonly tools: readonly object[];
  readonly prompts?: readonly object[];
  readonly resources?: readonly object[];
  /** Result of every tool. */
  readonly result?: object;
}

/** MCP servers at `/<number>`, without sessions and streams. One process provides thousands of them. */
export const startMcpServers = (offerOf: (server: number) => Offer): Promise<StubServer> =>
  startStub(({ method, path, body }) => {
    if (method !== 'POST' || body?.id === undefined) return undefined;
    const result = resultOf(body, offerOf(Number(path.slice(1))));
    const failure = { code: -32_601, message: 'Method not found' };
    return { jsonrpc: '2.0', id: body.id, ...(result === undefined ? { error: failure } : { result }) };
  });

function resultOf(
  { method, params }: { readonly method: string; readonly params: { readonly protocolVersion?: string } },
  { tools, prompts = [], resources = [], result }: Offer,
): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {}, prompts: {}, resources: {} },
        serverInfo: { name: 'stub', version: '1' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools };
    case 'prompts/list':
      return { prompts };
    case 'resources/list':
      return { resources };
    case 'resources/templates/list':
      return { resourceTemplates: [] };
    case 'tools/call':
      return result ?? { content: [{ type: 'text', text: 'done' }] };
    default:
      return undefined;
  }
}
