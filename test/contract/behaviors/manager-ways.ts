import type { Behaviors } from './behavior.ts';

/** How clients of all kinds reach mcp-manager, besides streamable HTTP. */
export const MANAGER_WAYS = {
  'manager:stdio:daemon': {
    source: 'docs/mcp-manager-clients.md#stdio',
    behavior:
      '`stdio` serves every feature of a running manager: lists, calls, progress, cancellation and requests to the client.',
  },
  'manager:stdio:local': {
    source: 'docs/mcp-manager-clients.md#stdio',
    behavior:
      '`stdio` without a manager starts the servers itself and serves the same features; stdout contains only messages.',
  },
  'manager:stdio:ends': {
    source: 'docs/mcp-manager-clients.md#stdio',
    behavior: 'Servers started by `stdio` end when stdin closes, on SIGTERM and when `stdio` is killed.',
  },
  'manager:stdio:restart': {
    source: 'docs/mcp-manager-clients.md#stdio',
    behavior:
      'A client on stdio survives a restart of the manager: it is notified that lists changed, and later calls work.',
  },
  'manager:stdio:refused': {
    source: 'docs/mcp-manager-clients.md#stdio',
    behavior: '`stdio` reports an address without a manager, a missing key, an unknown server, and plugins.',
  },
  'manager:stdio:group': {
    source: 'docs/mcp-manager-clients.md#groups',
    behavior:
      '`stdio --group` serves only the servers and tools of a group, with and without a running manager; an unknown group is an error.',
  },
  'manager:install': {
    source: 'docs/mcp-manager-clients.md#configure-a-client',
    behavior:
      "`install` adds an entry to a client's config file, which the client can start, keeping the other entries and a backup; `--dry-run` prints the change; `--uninstall` removes the entry.",
  },
  'manager:sse': {
    source: 'docs/mcp-manager.md#mcp',
    behavior:
      "Clients of the legacy transport use /sse and /messages, with their key's permissions, also below a group.",
  },
} as const satisfies Behaviors;
