import type { Behaviors } from './behavior.ts';

/** What mcp-manager promises to MCP clients. */
export const MANAGER_MCP = {
  'manager:mcp:all': {
    source: 'manager reference 5.15',
    behavior: '/mcp offers tools and prompts of all servers as server__name, and their resources.',
  },
  'manager:mcp:one': {
    source: 'manager reference 5.15',
    behavior: '/mcp/{server} offers one server under its own names, results as it gave them.',
  },
  'manager:mcp:broken-server': {
    source: 'issue 4',
    behavior:
      'A server that is down leaves the lists of the others whole; a call to it fails with the reason.',
  },
  'manager:mcp:progress': {
    source: 'issue 4',
    behavior: 'Progress of a call reaches the client.',
  },
  'manager:mcp:cancel': {
    source: 'issue 4',
    behavior: 'A call that the client cancels is cancelled at the server.',
  },
  'manager:mcp:asks': {
    source: 'issue 5',
    behavior: 'A request of a server during a call goes to the client of the call only.',
  },
  'manager:mcp:resume': {
    source: 'issue 5',
    behavior: 'A client that lost the connection gets the rest of an answer when it comes back.',
  },
  'manager:mcp:plain-json': {
    source: 'issue 5',
    behavior: 'An answer with nothing before it is plain JSON.',
  },
  'manager:mcp:list-changed': {
    source: 'issue 4',
    behavior: 'Clients are notified that lists changed, by a server or by a reload.',
  },
  'manager:mcp:search': {
    source: 'manager reference 5.24',
    behavior: 'In search mode two tools find and call all others.',
  },
  'manager:mcp:schemas': {
    source: 'issue 4',
    behavior: 'Tools come with the schemas, annotations and _meta that their server gave them.',
  },
} as const satisfies Behaviors;
