import type { Behaviors } from './behavior.ts';

/** Documented behavior of mcp-manager for clients that do not use streamable HTTP. */
export const MANAGER_WAYS = {
  'manager:stdio:daemon': {
    source: 'docs/mcp-manager-clients.md#stdio',
    behavior:
      '`stdio` supports every feature of a running manager: lists, calls, progress, cancellation and requests to the client.',
  },
  'manager:stdio:local': {
    source: 'docs/mcp-manager-clients.md#stdio',
    behavior:
      'Without a running manager, `stdio` starts the servers itself and supports the same features; stdout contains only MCP messages.',
  },
  'manager:stdio:ends': {
    source: 'docs/mcp-manager-clients.md#stdio',
    behavior: 'Servers started by `stdio` stop when stdin closes, on SIGTERM, and when `stdio` is killed.',
  },
  'manager:stdio:restart': {
    source: 'docs/mcp-manager-clients.md#stdio',
    behavior:
      'A stdio client survives a restart of the manager: it is notified that the tool, prompt and resource lists have changed, and later calls work.',
  },
  'manager:stdio:refused': {
    source: 'docs/mcp-manager-clients.md#stdio',
    behavior:
      '`stdio` reports an error for an address without a manager, a missing key file, an unknown server, and a configuration with plugins.',
  },
  'manager:stdio:group': {
    source: 'docs/mcp-manager-clients.md#groups',
    behavior:
      '`stdio --group` serves only the servers and tools of a group, with and without a running manager; an unknown group causes an error.',
  },
  'manager:install': {
    source: 'docs/mcp-manager-clients.md#configure-a-client',
    behavior:
      "`install` adds a working entry to a client's config file, keeps the other entries and creates a backup; `--dry-run` prints the change; `--uninstall` removes the entry.",
  },
  'manager:sse': {
    source: 'docs/mcp-manager.md#mcp',
    behavior:
      "Clients with the legacy SSE transport can use /sse and /messages with their key's permissions, even on group paths.",
  },
} as const satisfies Behaviors;
