/** JSON-RPC messages as sent by MCP clients. */
export const INITIALIZE = (id: number): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    },
  });

export const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });

export const callMessage = (id: number, text: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'echo', arguments: { message: text } },
  });

interface CallAnswer {
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
}

/** The text in the response to a call: plain JSON, or the only event of a stream. */
export function textOf(body: string): string {
  const json = body.startsWith('{') ? body : body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1);
  const { result } = JSON.parse(json) as CallAnswer;
  return result?.content?.[0]?.text ?? '';
}
