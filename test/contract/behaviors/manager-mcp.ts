import type { Behaviors } from './behavior.ts';

/** Documented behavior of mcp-manager for MCP clients. */
export const MANAGER_MCP = {
  'manager:mcp:all': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: '/mcp provides the tools and prompts of all servers as server__name, and their resources.',
  },
  'manager:mcp:one': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: '/mcp/{server} provides a single server with its own names and unchanged results.',
  },
  'manager:mcp:broken-server': {
    source: 'docs/mcp-manager.md#mcp',
    behavior:
      'A server that is down does not affect the lists of other servers, and a call to it fails with the reason.',
  },
  'manager:mcp:progress': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'Progress notifications for a call reach the client.',
  },
  'manager:mcp:cancel': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'A call that the client cancels is canceled on the server.',
  },
  'manager:mcp:asks': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: "A server's request during a call is sent only to the client of that call.",
  },
  'manager:mcp:resume': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'A client that lost its connection receives the rest of the response after it reconnects.',
  },
  'manager:mcp:plain-json': {
    source: 'docs/mcp-manager.md#mcp',
    behavior:
      'A response that is not preceded by other messages, such as notifications, is sent as plain JSON.',
  },
  'manager:mcp:list-changed': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'Clients are notified when the tool list changes on a server or after a reload.',
  },
  'manager:mcp:search': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'In search mode, all tools can be found and called through two tools.',
  },
  'manager:mcp:code': {
    source: 'docs/mcp-manager.md#code-mode',
    behavior:
      'In code mode, a Lua script calls tools of several servers, and only its return value reaches the client; errors name the line, and scripts cannot access files.',
  },
  'manager:mcp:modes': {
    source: 'docs/mcp-manager.md#modes',
    behavior:
      'The mode of a group takes precedence over that of the manager, and clients can select the modes of --client-mcp-modes in the URL.',
  },
  'manager:mcp:apps': {
    source: 'docs/mcp-manager.md#apps',
    behavior:
      'At /mcp, tools refer to the pages of their own server, and the calls of an app only reach tools of its own server that are for apps.',
  },
  'manager:mcp:tasks': {
    source: 'docs/mcp-manager.md#tasks',
    behavior: 'A call can become a task, whose ID only works for the client that created it.',
  },
  'manager:mcp:extensions': {
    source: 'docs/mcp-manager.md#extensions',
    behavior: '`extensions` lists the protocol extensions that are passed on; others are logged.',
  },
  'manager:mcp:schemas': {
    source: 'docs/mcp-manager.md#mcp',
    behavior: 'Tools keep the schemas, annotations and _meta from their server.',
  },
} as const satisfies Behaviors;
