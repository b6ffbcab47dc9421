import { post } from './raw.ts';

export const STATELESS_VERSION = '2026-07-28';

export interface StatelessRequest {
  readonly path?: string;
  readonly params?: Record<string, unknown>;
  readonly meta?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** A request as sent by a client of this revision. */
export function sendStateless(
  origin: string,
  method: string,
  { path = '/mcp', params = {}, meta = {}, headers = {}, signal }: StatelessRequest = {},
): Promise<Response> {
  const name = params['name'] ?? params['uri'] ?? params['taskId'];
  return post(origin, path, {
    headers: {
      'mcp-protocol-version': STATELESS_VERSION,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...headers,
    },
    body: {
      jsonrpc: '2.0',
      id: 7,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': STATELESS_VERSION,
          'io.modelcontextprotocol/clientCapabilities': {},
          ...meta,
        },
      },
    },
    ...(signal && { signal }),
  });
}
