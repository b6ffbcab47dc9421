import type { Option } from '../../../serve/cli/command.ts';
import { commonOptions } from '../../../serve/cli/common-options.ts';
import { withEnvironment } from '../../../serve/cli/values.ts';

/** What `[daemon]` of the configuration says as well; a flag goes before it. */
const FILE_OPTIONS = withEnvironment('MCP_MANAGER', {
  ...commonOptions({
    host: { defaultText: '127.0.0.1' },
    port: { defaultText: '8090' },
    'shutdown-timeout': {
      help: 'Graceful shutdown timeout for calls in flight, e.g. 30s',
      defaultText: '5s',
    },
    'cors-origins': {},
  }),
  // The flag and the key of mcpd, whose scripts work here.
  addr: { value: 'host:port', help: 'Address and port to listen on', hidden: true },
  'timeout-mcp-init': {
    value: 'time',
    help: 'How long a server may take to start, its download included (30s)',
  },
  'timeout-mcp-health': { value: 'time', help: 'How long a health check may take (3s)' },
  'timeout-mcp-shutdown': {
    value: 'time',
    help: 'How long a server may take to end before it is killed (5s)',
  },
  'timeout-mcp-request': { value: 'time', help: 'How long a call may take (15s)' },
  'interval-mcp-health': { value: 'time', help: 'Time between health checks (10s)' },
  // mcpd requires it next to the origins; here, origins are enough.
  'cors-enable': { help: 'Allow CORS; requires --cors-origins', hidden: true },
  'cors-allow-methods': { value: 'methods', help: 'Methods they may use, separated by commas' },
  'cors-allow-headers': { value: 'headers', help: 'Headers they may send, separated by commas' },
  'cors-expose-headers': { value: 'headers', help: 'Headers they may read, separated by commas' },
  'cors-allow-credentials': { help: 'Let them send cookies; never together with origin *' },
  'cors-max-age': { value: 'time', help: 'How long browsers may remember this (5m)' },
});

const ACCESS_OPTIONS = withEnvironment('MCP_MANAGER', {
  'keys-file': {
    value: 'file',
    help: 'API keys, made by `mcp-manager keys create`; by default beside the secrets',
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
    help: 'Characters of JSON one result of a server may have',
    fallback: '33554432',
  },
  'trust-proxy': { help: 'Believe what any client says of the address it reached this by, for links only' },
});

const BEHAVIOUR_OPTIONS = withEnvironment('MCP_MANAGER', {
  dev: {
    help: 'Listen on localhost:8090 only, and say where everything is; not together with --host or --port',
  },
  'mcp-mode': {
    value: 'mode',
    help: 'What /mcp offers: all tools, or two that search and call them',
    choices: ['all', 'search'],
    fallback: 'all',
  },
  ...commonOptions({ 'no-watch': { help: 'Do not reload the configuration when its files change' } }),
  'audit-log': { value: 'file', help: 'Append a line of JSON for every call to this file' },
  'audit-arguments': {
    value: 'form',
    help: 'How arguments stand in it',
    choices: ['hashed', 'redacted'],
    fallback: 'hashed',
  },
});

const LOG_OPTIONS = withEnvironment('MCP_MANAGER', {
  ...commonOptions({
    'log-level': {
      help: 'Log level; logs are JSON lines',
      fallback: 'info',
      aliases: [{ env: 'MCPD_LOG_LEVEL' }],
    },
  }),
  'log-path': {
    value: 'file',
    help: 'Append the log to this file instead of stderr',
    aliases: [{ env: 'MCPD_LOG_PATH' }],
  },
  'log-max-size': {
    value: 'bytes',
    help: 'Rotate the file of --log-path at this size; 0 does not',
    fallback: '104857600',
  },
  'log-keep': { value: 'number', help: 'Rotated log files to keep, as <file>.1 and so on', fallback: '5' },
});

export const DAEMON_OPTIONS: Readonly<Record<string, Option>> = {
  ...FILE_OPTIONS,
  ...ACCESS_OPTIONS,
  ...BEHAVIOUR_OPTIONS,
  ...LOG_OPTIONS,
};
