import type { Behaviors } from './behavior.ts';

/** What mcp-manager promises with servers that others wrote. */
export const MANAGER_REAL = {
  'real:everything': {
    source: 'docs/mcp-manager-clients.md#tested-servers',
    behavior: 'server-everything: every list, tool, prompt and resource, over HTTP and MCP.',
  },
  'real:everything-remote': {
    source: 'docs/mcp-manager-clients.md#tested-servers',
    behavior: 'server-everything over streamable HTTP and SSE, as a remote server.',
  },
  'real:filesystem': {
    source: 'docs/mcp-manager-clients.md#tested-servers',
    behavior: 'server-filesystem: writes, reads, lists and edits files, and reports why access is denied.',
  },
  'real:memory': {
    source: 'docs/mcp-manager-clients.md#tested-servers',
    behavior: 'server-memory: keeps its graph across a restart.',
  },
  'real:sequential-thinking': {
    source: 'docs/mcp-manager-clients.md#tested-servers',
    behavior: 'server-sequential-thinking: accepts thoughts in sequence.',
  },
  'real:git': {
    source: 'docs/mcp-manager-clients.md#tested-servers',
    behavior: '@cyanheads/git-mcp-server: creates a repository, commits to it, and returns its history.',
  },
  'real:time': {
    source: 'docs/mcp-manager-clients.md#tested-servers',
    behavior: 'time-mcp: converts times between time zones.',
  },
} as const satisfies Behaviors;
