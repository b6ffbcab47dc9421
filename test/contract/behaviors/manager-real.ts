import type { Behaviors } from './behavior.ts';

/** Documented behavior of mcp-manager with third-party servers. */
export const MANAGER_REAL = {
  'real:everything': {
    source: 'docs/mcp-manager-clients.md#tested-servers',
    behavior: 'server-everything works over HTTP and MCP, with every list, tool, prompt and resource.',
  },
  'real:everything-remote': {
    source: 'docs/mcp-manager-clients.md#tested-servers',
    behavior: 'server-everything works as a remote server over streamable HTTP and SSE.',
  },
  'real:filesystem': {
    source: 'docs/mcp-manager-clients.md#tested-servers',
    behavior: 'server-filesystem writes, reads, lists and edits files, and reports why access is denied.',
  },
  'real:memory': {
    source: 'docs/mcp-manager-clients.md#tested-servers',
    behavior: 'server-memory keeps its graph across a restart.',
  },
  'real:sequential-thinking': {
    source: 'docs/mcp-manager-clients.md#tested-servers',
    behavior: 'server-sequential-thinking accepts thoughts in sequence.',
  },
  'real:git': {
    source: 'docs/mcp-manager-clients.md#tested-servers',
    behavior: '@cyanheads/git-mcp-server creates a repository, commits to it, and returns its history.',
  },
  'real:time': {
    source: 'docs/mcp-manager-clients.md#tested-servers',
    behavior: 'time-mcp converts times between time zones.',
  },
} as const satisfies Behaviors;
