import type { Option } from '../../../serve/cli/command.ts';
import { LOG_LEVELS } from '../../../serve/log-levels.ts';
import { withEnvironment } from '../../../serve/cli/values.ts';

const environment = (options: Readonly<Record<string, Option>>): Record<string, Option> =>
  withEnvironment('ENCODERFILE', options);

/** How the model runs. */
export const ENGINE_OPTIONS = environment({
  workers: {
    value: 'count',
    help: 'Number of inference threads',
    defaultText: 'one per processor, if memory allows',
  },
  threads: {
    value: 'count',
    help: 'Compute threads per worker',
    defaultText: 'processors divided by workers',
  },
  'max-batch-tokens': {
    value: 'count',
    help: 'Maximum tokens per batch, padding included',
    defaultText: '512 per compute thread',
  },
  'max-client-batch': { value: 'count', help: 'Maximum inputs per request', fallback: '2048' },
  'max-queue': { value: 'count', help: 'Maximum queued inputs before requests get 429', fallback: '8192' },
  'max-input-chars': { value: 'count', help: 'Maximum characters per input', fallback: '200000' },
  'on-overflow': {
    value: 'rule',
    help: 'How to handle texts longer than the model supports: truncate them, or return 422',
    choices: ['truncate', 'error'],
    fallback: 'truncate',
  },
  'cache-dir': { value: 'folder', help: 'Folder for extracted native libraries' },
});

/** Who may call a server, and what it tells of itself. */
export const SERVER_OPTIONS = environment({
  'cert-file': { value: 'file', help: 'TLS certificate (PEM); requires --key-file' },
  'key-file': { value: 'file', help: 'TLS private key (PEM); requires --cert-file' },
  'api-key': { value: 'keys', help: 'Require one of these comma-separated API keys as a Bearer token' },
  'cors-origins': { value: 'origins', help: 'Allowed CORS origins, comma-separated; * allows all' },
  'allowed-hosts': {
    value: 'hosts',
    help: 'Allowed Host header values of MCP clients, comma-separated',
  },
  'max-body': { value: 'bytes', help: 'Maximum request body size in bytes', fallback: '8388608' },
  'drain-seconds': {
    value: 'seconds',
    help: 'Graceful shutdown timeout for accepted requests, in seconds',
    fallback: '30',
  },
  'log-level': {
    value: 'level',
    help: 'Log level; logs are JSON lines on stderr',
    choices: LOG_LEVELS,
    fallback: 'info',
  },
});
