import type { Behaviors } from './behavior.ts';

/** What mcp-manager promises with servers that others wrote. */
export const MANAGER_REAL = {
  'real:everything': {
    source: 'issue "Must show"',
    behavior: 'server-everything: every list, tool, prompt and resource, through HTTP and MCP.',
  },
  'real:everything-remote': {
    source: 'issue "Must show"',
    behavior: 'server-everything over streamable HTTP and SSE, as a server that runs elsewhere.',
  },
  'real:filesystem': {
    source: 'issue "Must show"',
    behavior: 'server-filesystem: writes, reads, lists and edits files, and reports why access is denied.',
  },
  'real:memory': {
    source: 'issue "Must show"',
    behavior: 'server-memory: keeps a graph over a restart of the server.',
  },
  'real:sequential-thinking': {
    source: 'issue "Must show"',
    behavior: 'server-sequential-thinking: takes thoughts one after the other.',
  },
  'real:git': {
    source: 'issue "Must show"',
    behavior: '@cyanheads/git-mcp-server: makes a repository, commits to it, and returns its history.',
  },
  'real:time': {
    source: 'issue "Must show"',
    behavior: 'time-mcp: converts times between zones.',
  },
} as const satisfies Behaviors;
