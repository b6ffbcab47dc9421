import type { Option } from '#serve/cli/command.ts';
import { withEnvironment } from '#serve/cli/values.ts';
import { DAEMON_OPTIONS } from './options.ts';

/** `daemon` options that also apply to servers started by `stdio` itself. */
const CONTEXT_OPTIONS: ReadonlySet<string> = new Set([
  'timeout-mcp-install',
  'timeout-mcp-init',
  'timeout-mcp-health',
  'timeout-mcp-shutdown',
  'timeout-mcp-request',
  'interval-mcp-health',
  'max-result',
  'mcp-mode',
  'script-timeout',
  'script-calls',
  'max-scripts',
  'search-encoder',
  'scan-classifier',
  'result-limit',
  'no-watch',
  'audit-log',
  'audit-arguments',
  'audit-failure',
  'otel-endpoint',
  'otel-service-name',
  'otel-sampled',
]);

export const SELECTION_OPTIONS = {
  group: { value: 'name', help: 'Configured group to use, with only its servers and tools' },
  servers: { value: 'names', help: 'Servers to use, comma-separated; patterns such as git* are allowed' },
  tools: {
    value: 'patterns',
    help: 'Tools to use, as comma-separated server/pattern values; other tools on these servers are not used',
  },
} satisfies Readonly<Record<string, Option>>;

/** Options for `stdio`, in addition to the client options. */
export const STDIO_OPTIONS: Readonly<Record<string, Option>> = {
  ...withEnvironment('MCP_MANAGER', {
    'api-key-file': { value: 'file', help: 'File containing the API key' },
  }),
  ...SELECTION_OPTIONS,
  local: { help: 'Start the servers in this process, even if a manager is running (conflicts with --url)' },
  ...Object.fromEntries(Object.entries(DAEMON_OPTIONS).filter(([name]) => CONTEXT_OPTIONS.has(name))),
  // MCP clients show stderr to their users.
  'log-level': { ...DAEMON_OPTIONS['log-level'], help: 'Log level; logs go to stderr', fallback: 'warn' },
};
