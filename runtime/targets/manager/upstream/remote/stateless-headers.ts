import type { RpcMessage } from '../rpc-message.ts';

/** Methods that are about one thing, and the parameter that names it. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/**
 * Parts of a request that revision 2026-07-28 repeats in headers, for what stands between client and server.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */
export function statelessHeaders({ method = '', params = {} }: RpcMessage): Record<string, string> {
  const key = NAMED_BY[method];
  return {
    'mcp-method': method,
    ...(key !== undefined && { 'mcp-name': headerValue(String(params[key])) }),
  };
}

/** As it is, if it can be a header; otherwise in Base64 with the marks that the specification has for that. */
export function headerValue(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
