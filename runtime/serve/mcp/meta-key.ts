/** Members of `_meta` as from revision 2026-07-28 on: https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta */
export const META_KEY = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  /** The least important log messages that are wanted with the answer. */
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;
