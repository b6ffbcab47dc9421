import type { Option } from '../../../serve/cli/command.ts';
import { LOG_LEVELS } from '../../../serve/log-levels.ts';
import { withEnvironment } from '../../../serve/cli/values.ts';

const environment = (options: Readonly<Record<string, Option>>): Record<string, Option> =>
  withEnvironment('ENCODERFILE', options);

/** How the model runs. */
export const ENGINE_OPTIONS = environment({
  workers: {
    value: 'count',
    help: 'Threads that each run batches; by default one per processor, if memory allows',
  },
  threads: {
    value: 'count',
    help: 'Threads that each worker computes with; by default what processors are left',
  },
  'max-batch-tokens': {
    value: 'count',
    help: 'Tokens a worker runs on at once, padding included; by default 512 for each of its threads',
  },
  'max-client-batch': { value: 'count', help: 'Inputs one request may have', fallback: '2048' },
  'max-queue': { value: 'count', help: 'Inputs that may wait before requests get 429', fallback: '8192' },
  'max-input-chars': { value: 'count', help: 'Characters one input may have', fallback: '200000' },
  'on-overflow': {
    value: 'rule',
    help: 'Texts longer than the model takes: cut them, or refuse them with 422',
    choices: ['truncate', 'error'],
    fallback: 'truncate',
  },
  'cache-dir': { value: 'folder', help: 'Where native libraries are unpacked' },
});

/** Who may call a server, and what it tells of itself. */
export const SERVER_OPTIONS = environment({
  'cert-file': { value: 'file', help: 'TLS certificate (PEM); goes with --key-file' },
  'key-file': { value: 'file', help: 'Its private key (PEM)' },
  'api-key': { value: 'keys', help: 'Callers must send one of these keys (separated by commas) as Bearer' },
  'cors-origins': { value: 'origins', help: 'Web pages that may call, separated by commas; * for all' },
  'allowed-hosts': {
    value: 'hosts',
    help: 'Names MCP clients may call this server by, separated by commas',
  },
  'max-body': { value: 'bytes', help: 'Bytes one request may have', fallback: '8388608' },
  'drain-seconds': {
    value: 'seconds',
    help: 'When told to stop: how long accepted requests may take to finish',
    fallback: '30',
  },
  'log-level': {
    value: 'level',
    help: 'What to log, as lines of JSON on stderr',
    choices: LOG_LEVELS,
    fallback: 'info',
  },
});
