import type { Option } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { PROCESS_OPTIONS } from '#serve/program/process-options.ts';
import { withEnvironment } from '#serve/cli/values.ts';
import { durationText } from '#core/time/duration.ts';
import { MANAGER_DEFAULTS } from '../config/defaults.ts';
import { MCP_MODES } from '../config/mcp-mode.ts';
import { SCRIPT_OPTIONS } from './script-options.ts';

const [HOST = '', PORT = ''] = MANAGER_DEFAULTS.addr.split(':');

/** Options that also exist in `[daemon]`; a flag takes precedence. */
const FILE_OPTIONS = withEnvironment('MCP_MANAGER', {
  ...commonOptions({
    host: { defaultText: HOST },
    port: { defaultText: PORT },
    'shutdown-timeout': {
      help: 'Graceful shutdown timeout for calls in flight, e.g. 30s',
      defaultText: durationText(MANAGER_DEFAULTS.apiShutdown),
    },
    'shutdown-delay': { defaultText: 'none' },
    'cors-origins': {},
  }),
  addr: { value: 'host:port', help: 'Address and port to listen on', origin: 'mcpd' },
  'timeout-mcp-install': {
    value: 'time',
    help: 'Time limit for installing a package, before its server starts',
    defaultText: durationText(MANAGER_DEFAULTS.install),
  },
  'timeout-mcp-init': {
    value: 'time',
    help: 'Startup timeout of a server, excluding package installation',
    defaultText: durationText(MANAGER_DEFAULTS.init),
  },
  'timeout-mcp-health': {
    value: 'time',
    help: 'Timeout of a health check',
    defaultText: durationText(MANAGER_DEFAULTS.health),
  },
  'timeout-mcp-shutdown': {
    value: 'time',
    help: 'Time for a server to stop before it is killed',
    defaultText: durationText(MANAGER_DEFAULTS.shutdown),
  },
  'timeout-mcp-request': {
    value: 'time',
    help: 'Timeout of a call',
    defaultText: durationText(MANAGER_DEFAULTS.request),
  },
  'interval-mcp-health': {
    value: 'time',
    help: 'Interval between health checks',
    defaultText: durationText(MANAGER_DEFAULTS.healthInterval),
  },
  // mcpd requires this flag for CORS; here, setting the origins is sufficient.
  'cors-enable': { help: 'Allow CORS; requires --cors-origins', origin: 'mcpd' },
  'cors-allow-methods': {
    value: 'methods',
    help: 'Allowed CORS methods, comma-separated',
  },
  'cors-allow-headers': {
    value: 'headers',
    help: 'Allowed CORS request headers, comma-separated',
  },
  'cors-expose-headers': {
    value: 'headers',
    help: 'Response headers that CORS clients can read, comma-separated',
  },
  'cors-allow-credentials': { help: 'Allow CORS requests with credentials; conflicts with origin *' },
  'search-encoder': {
    value: 'file|url',
    help: 'Search by meaning too, with an .encoder file to start or the URL of a running encoder',
    defaultText: 'none',
  },
  'scan-classifier': {
    value: 'file|url',
    help: 'Scan texts of servers with a classifier too: an .encoder file to start or the URL of a running encoder',
    defaultText: 'none',
  },
  'cors-max-age': {
    value: 'time',
    help: 'How long browsers cache CORS preflight responses',
    defaultText: durationText(MANAGER_DEFAULTS.corsMaxAge),
  },
});

const ACCESS_OPTIONS = withEnvironment('MCP_MANAGER', {
  'keys-file': {
    value: 'file',
    help: 'File with the API keys created by `mcp-manager keys create`',
    defaultText: 'keys.jsonl next to the secrets file',
  },
  ...commonOptions({
    insecure: {},
    'allowed-hosts': {},
    'cert-file': {},
    'key-file': {},
    'max-body': { fallback: '1048576' },
    metrics: { fallback: 'key' },
  }),
  'max-result': {
    value: 'characters',
    help: "Maximum size of a server's result, in characters of JSON",
    fallback: '33554432',
  },
  'trust-proxy': { help: 'Trust X-Forwarded-* headers when building links, even from this machine' },
});

const PROCESS = withEnvironment('MCP_MANAGER', PROCESS_OPTIONS);

const BEHAVIOR_OPTIONS = withEnvironment('MCP_MANAGER', {
  dev: {
    help: 'Development mode: listen on localhost:8090 and print all URLs (conflicts with --host and --port)',
  },
  'mcp-mode': {
    value: 'mode',
    help: 'Tools at /mcp: all tools, or two tools to search them and to call them or run scripts (code)',
    choices: MCP_MODES,
    fallback: 'all',
  },
  'client-mcp-modes': {
    value: 'modes',
    help: 'Modes that clients can select with ?mode= in the URL, comma-separated; overrides the modes of keys, groups and the manager',
    defaultText: 'none',
  },
  ...SCRIPT_OPTIONS,
  'result-limit': {
    value: 'characters',
    help: 'Shorten longer tool results for MCP clients, which can read the rest with another tool',
    defaultText: 'none',
  },
  ...commonOptions({ 'no-watch': { help: 'Do not reload the configuration when its files change' } }),
  'audit-log': { value: 'file', help: 'Append a JSON line for every call to this file' },
  'audit-arguments': {
    value: 'form',
    help: 'How call arguments appear in the audit log',
    choices: ['hashed', 'redacted'],
    fallback: 'hashed',
  },
  'audit-failure': {
    value: 'action',
    help: 'What to do with calls while the audit log cannot be written, for example because the disk is full',
    choices: ['continue', 'reject'],
    fallback: 'continue',
  },
});

const LOG_OPTIONS = withEnvironment('MCP_MANAGER', {
  ...commonOptions({
    'log-level': {
      help: 'Log level; logs are JSON lines',
      fallback: 'info',
    },
    'otel-endpoint': {},
    'otel-service-name': { defaultText: 'mcp-manager' },
    'otel-sampled': { defaultText: '1' },
  }),
  'log-path': {
    value: 'file',
    help: 'Append the log to this file instead of stderr',
  },
  'log-max-size': {
    value: 'bytes',
    help: 'Rotate the file of --log-path at this size; 0 disables rotation',
    fallback: '104857600',
  },
  'log-keep': {
    value: 'count',
    help: 'Number of rotated log files to keep, named <file>.1, <file>.2 and so on',
    fallback: '5',
  },
});

export const DAEMON_OPTIONS: Readonly<Record<string, Option>> = {
  ...FILE_OPTIONS,
  ...ACCESS_OPTIONS,
  ...PROCESS,
  ...BEHAVIOR_OPTIONS,
  ...LOG_OPTIONS,
};
