import type { Behaviors } from './behavior.ts';

/** What mcp-manager promises to MCP clients. */
export const MANAGER_MCP = {
  'manager:mcp:all': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: '/mcp offers the tools and prompts of all servers as server__name, and their resources.',
  },
  'manager:mcp:one': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: '/mcp/{server} offers one server with its own names and unchanged results.',
  },
  'manager:mcp:broken-server': {
    source: 'docs/mcp-manager.md#mcp',
    behavior:
      'A server that is down does not affect the lists of others; a call to it fails with the reason.',
  },
  'manager:mcp:progress': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'The progress of a call reaches the client.',
  },
  'manager:mcp:cancel': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'A call that the client cancels is cancelled at the server.',
  },
  'manager:mcp:asks': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: "A server's request during a call is sent only to the client of that call.",
  },
  'manager:mcp:resume': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'A client that lost its connection receives the rest of the response when it reconnects.',
  },
  'manager:mcp:plain-json': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'A response without preceding messages is plain JSON.',
  },
  'manager:mcp:list-changed': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'Clients are notified when a server or a reload changes lists.',
  },
  'manager:mcp:search': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'In search mode, two tools find and call all others.',
  },
  'manager:mcp:schemas': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'Tools keep the schemas, annotations and _meta of their server.',
  },
} as const satisfies Behaviors;
