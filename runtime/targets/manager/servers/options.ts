import type { Option } from '../../../serve/cli/command.ts';
import { withEnvironment } from '../../../serve/cli/values.ts';
import { LOG_LEVELS } from '../../../serve/log-levels.ts';

/** What `[daemon]` of the configuration says as well; a flag goes before it. */
const FILE_OPTIONS = withEnvironment('MCP_MANAGER', {
  addr: { value: 'host:port', help: 'Where to listen; port 0 takes a free one; default 127.0.0.1:8090' },
  'timeout-api-shutdown': {
    value: 'time',
    help: 'When told to stop: how long calls may take to finish (5s)',
  },
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
  'cors-enable': { help: 'Let web pages call; goes with --cors-allow-origin' },
  'cors-allow-origin': { value: 'origins', help: 'Their origins, separated by commas; * for all' },
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
  insecure: { help: 'Listen on other addresses than loopback although no key is needed' },
  'allowed-hosts': { value: 'hosts', help: 'Names callers may use for this machine, separated by commas' },
  'cert-file': { value: 'file', help: 'TLS certificate (PEM); goes with --key-file' },
  'key-file': { value: 'file', help: 'Its private key (PEM)' },
  'max-body': { value: 'bytes', help: 'Bytes one request may have', fallback: '1048576' },
  'max-result': {
    value: 'characters',
    help: 'Characters of JSON one result of a server may have',
    fallback: '33554432',
  },
  'trust-proxy': { help: 'Believe what any client says of the address it reached this by, for links only' },
});

const BEHAVIOUR_OPTIONS = withEnvironment('MCP_MANAGER', {
  dev: { help: 'Listen on localhost:8090 only, and say where everything is; not together with --addr' },
  'mcp-mode': {
    value: 'mode',
    help: 'What /mcp offers: all tools, or two that search and call them',
    choices: ['all', 'search'],
    fallback: 'all',
  },
  'no-watch': { help: 'Do not read files again when they change' },
  'audit-log': { value: 'file', help: 'Append a line of JSON for every call to this file' },
  'audit-arguments': {
    value: 'form',
    help: 'How arguments stand in it',
    choices: ['hashed', 'redacted'],
    fallback: 'hashed',
  },
});

const LOG_OPTIONS: Readonly<Record<string, Option>> = {
  'log-level': {
    value: 'level',
    help: 'What to log, as lines of JSON',
    env: 'MCPD_LOG_LEVEL',
    choices: ['trace', ...LOG_LEVELS, 'off'],
    fallback: 'info',
  },
  'log-path': { value: 'file', help: 'Append the log to this file instead of stderr', env: 'MCPD_LOG_PATH' },
  ...withEnvironment('MCP_MANAGER', {
    'log-max-size': {
      value: 'bytes',
      help: 'Rotate the file of --log-path at this size; 0 does not',
      fallback: '104857600',
    },
    'log-keep': { value: 'number', help: 'Rotated log files to keep, as <file>.1 and so on', fallback: '5' },
  }),
};

export const DAEMON_OPTIONS: Readonly<Record<string, Option>> = {
  ...FILE_OPTIONS,
  ...ACCESS_OPTIONS,
  ...BEHAVIOUR_OPTIONS,
  ...LOG_OPTIONS,
};
