import { encodeHeader, NAMED_BY } from '../../../../serve/mcp/mirrored-name.ts';
import type { RpcMessage } from '../rpc-message.ts';

/**
 * Parts of a request that revision 2026-07-28 repeats in headers, for what stands between client and server.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */
export function statelessHeaders({ method = '', params = {} }: RpcMessage): Record<string, string> {
  const key = NAMED_BY[method];
  return {
    'mcp-method': method,
    ...(key !== undefined && { 'mcp-name': encodeHeader(String(params[key])) }),
  };
}
