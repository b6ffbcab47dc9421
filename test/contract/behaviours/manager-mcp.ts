import type { Behaviours } from './behaviour.ts';

/** What mcp-manager promises to MCP clients. */
export const MANAGER_MCP = {
  'manager:mcp:all': {
    source: 'manager reference 5.15',
    behaviour: '/mcp offers tools and prompts of all servers as server__name, and their resources.',
  },
  'manager:mcp:one': {
    source: 'manager reference 5.15',
    behaviour: '/mcp/{server} offers one server under its own names, results as it gave them.',
  },
  'manager:mcp:broken-server': {
    source: 'issue 4',
    behaviour:
      'A server that is down leaves the lists of the others whole; a call to it fails with the reason.',
  },
  'manager:mcp:progress': {
    source: 'issue 4',
    behaviour: 'Progress of a call reaches the client.',
  },
  'manager:mcp:cancel': {
    source: 'issue 4',
    behaviour: 'A call that the client cancels is cancelled at the server.',
  },
  'manager:mcp:asks': {
    source: 'issue 5',
    behaviour: 'A request of a server during a call goes to the client of the call only.',
  },
  'manager:mcp:resume': {
    source: 'issue 5',
    behaviour: 'A client that lost the connection gets the rest of an answer when it comes back.',
  },
  'manager:mcp:plain-json': {
    source: 'issue 5',
    behaviour: 'An answer with nothing before it is plain JSON.',
  },
  'manager:mcp:list-changed': {
    source: 'issue 4',
    behaviour: 'Clients are notified that lists changed, by a server or by a reload.',
  },
  'manager:mcp:search': {
    source: 'manager reference 5.24',
    behaviour: 'In search mode two tools find and call all others.',
  },
  'manager:mcp:schemas': {
    source: 'issue 4',
    behaviour: 'Tools come with the schemas, annotations and _meta that their server gave them.',
  },
} as const satisfies Behaviours;
