import type { Option } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { PROCESS_OPTIONS } from '#serve/program/process-options.ts';
import { withEnvironment } from '#serve/cli/values.ts';
import { DEVICE_OPTIONS } from './device-options.ts';
import { IMAGE_OPTIONS } from './image-options.ts';

const environment = (options: Readonly<Record<string, Option>>): Record<string, Option> =>
  withEnvironment('ENCODERFILE', options);

/** The default addresses of `serve`, as the contract requires. */
export const DEFAULT_HOSTNAMES = { http: '0.0.0.0', grpc: '[::]' };

/** Options of the inference engine. */
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
  'max-windows': {
    value: 'count',
    help: 'Maximum windows per input, if the model processes long texts in windows',
    fallback: '256',
  },
  ...IMAGE_OPTIONS,
  ...DEVICE_OPTIONS,
  'on-overflow': {
    value: 'rule',
    help: 'How to handle texts longer than the model supports: truncate them, or return 422',
    choices: ['truncate', 'error'],
    fallback: 'truncate',
  },
  'result-cache': {
    value: 'bytes',
    help: 'Memory for results of repeated inputs, in bytes; 0 computes every result',
    fallback: '0',
  },
  'cache-dir': { value: 'folder', help: 'Folder for extracted native libraries' },
});

/** Options of a server: access, TLS, limits and logging. */
export const SERVER_OPTIONS = environment({
  ...PROCESS_OPTIONS,
  ...commonOptions({
    'cert-file': {},
    'key-file': {},
    'allowed-hosts': {
      help: 'Host names that clients can use for this server, comma-separated',
      defaultText: 'IP addresses and localhost; any host name with an API key or TLS',
    },
    'cors-origins': {},
    'max-body': { fallback: '8388608' },
    metrics: { fallback: 'key' },
    'shutdown-timeout': { fallback: '30s' },
    'shutdown-delay': { fallback: '0' },
    'log-level': { fallback: 'info' },
    'otel-endpoint': {},
    'otel-service-name': { defaultText: 'encoder' },
    'otel-sampled': { defaultText: '1' },
  }),
  'api-key': {
    value: 'keys',
    help: 'Require one of these comma-separated API keys as a Bearer token. Visible in the process list; prefer --api-key-file or the variable',
  },
  'api-key-file': { value: 'file', help: 'File containing the API keys, separated by commas or newlines' },
});
