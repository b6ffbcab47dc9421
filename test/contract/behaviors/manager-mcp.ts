import type { Behaviors } from './behavior.ts';

/** What mcp-manager promises to MCP clients. */
export const MANAGER_MCP = {
  'manager:mcp:all': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: '/mcp offers tools and prompts of all servers as server__name, and their resources.',
  },
  'manager:mcp:one': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: '/mcp/{server} offers one server under its own names, results as it gave them.',
  },
  'manager:mcp:broken-server': {
    source: 'docs/mcp-manager.md#mcp',
    behavior:
      'A server that is down leaves the lists of the others whole; a call to it fails with the reason.',
  },
  'manager:mcp:progress': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'Progress of a call reaches the client.',
  },
  'manager:mcp:cancel': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'A call that the client cancels is cancelled at the server.',
  },
  'manager:mcp:asks': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'A request of a server during a call goes to the client of the call only.',
  },
  'manager:mcp:resume': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'A client that lost the connection gets the rest of an answer when it comes back.',
  },
  'manager:mcp:plain-json': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'An answer with nothing before it is plain JSON.',
  },
  'manager:mcp:list-changed': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'Clients are notified that lists changed, by a server or by a reload.',
  },
  'manager:mcp:search': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'In search mode two tools find and call all others.',
  },
  'manager:mcp:schemas': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'Tools come with the schemas, annotations and _meta that their server gave them.',
  },
} as const satisfies Behaviors;
