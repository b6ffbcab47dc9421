import type { Option } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { PROCESS_OPTIONS } from '#serve/program/process-options.ts';
import { withEnvironment } from '#serve/cli/values.ts';
import { DEFAULTS, MASTER_KEY_RULE } from './defaults.ts';

type Options = Readonly<Record<string, Option>>;

/** Options for all commands that use the database. */
export const STORE_OPTIONS: Options = withEnvironment('GATEWAY', {
  ...commonOptions({
    config: {
      help: 'Configuration file (YAML or JSON)',
      defaultText: 'gateway.yml in the current directory, if it exists',
    },
  }),
  'data-dir': {
    value: 'folder',
    help: 'Folder of the SQLite database',
    defaultText: DEFAULTS.dataDir,
  },
  'database-url': {
    value: 'url',
    help: 'Database URL, postgres://user:password@host:5432/name or sqlite:<file>; also read from DATABASE_URL',
  },
});

const NETWORK_OPTIONS: Options = {
  ...commonOptions({
    host: { defaultText: DEFAULTS.host },
    port: { defaultText: String(DEFAULTS.port) },
    'cert-file': {},
    'key-file': {},
    insecure: { help: 'Allow listening on non-loopback addresses without a master key' },
    'allowed-hosts': {},
    'cors-origins': {},
    'max-body': { defaultText: String(DEFAULTS.maxBodyBytes) },
    'shutdown-timeout': {
      help: 'Graceful shutdown timeout for requests and streams in flight, e.g. 30s',
      defaultText: DEFAULTS.shutdown,
    },
    'shutdown-delay': { defaultText: 'none' },
  }),
  ...PROCESS_OPTIONS,
  'public-url': {
    value: 'url',
    help: 'URL at which clients reach the gateway, for downloads and uploads',
    defaultText: DEFAULTS.publicUrl,
  },
  threads: {
    value: 'number',
    help: 'Number of threads that serve model requests, or auto for the number of processors minus 1; only on Linux',
    defaultText: String(DEFAULTS.threads),
  },
  'body-timeout': {
    value: 'time',
    help: 'Timeout for receiving a request body',
    defaultText: DEFAULTS.bodyTimeout,
  },
};

const ACCOUNT_OPTIONS: Options = {
  'auto-migrate': {
    help: 'Migrate an older database on startup; with --auto-migrate=false, startup fails instead',
    defaultText: String(DEFAULTS.autoMigrate),
  },
  'master-key': {
    value: 'key',
    help: `Admin key. ${MASTER_KEY_RULE}. Visible in the process list; prefer GATEWAY_MASTER_KEY`,
  },
  'master-key-file': { value: 'file', help: 'File containing the master key' },
  'bootstrap-api-key': { help: 'Create a first API key if there is none, and print it once' },
  'rate-limit-rpm': {
    value: 'number',
    help: 'Default requests-per-minute limit for users without their own',
  },
  'rate-limit-tpm': { value: 'number', help: 'Default tokens-per-minute limit for users without their own' },
  'rate-limit-parallel': {
    value: 'number',
    help: 'Default limit on concurrent requests for users without their own',
  },
  'price-map': {
    help: 'Use published prices for models without a custom price; with --price-map=false, only custom prices apply',
    defaultText: String(DEFAULTS.priceMap),
  },
  'require-pricing': { help: 'Reject requests for models without a price' },
  'allow-unpriced': { help: 'Allow users and keys with a budget to use models without a price' },
  'assumed-output-tokens': {
    value: 'number',
    help: 'Output tokens to assume when a request sets no maximum',
    defaultText: String(DEFAULTS.assumedOutputTokens),
  },
};

const OPERATION_OPTIONS: Options = {
  ...commonOptions({
    metrics: { defaultText: DEFAULTS.metrics },
    'log-level': { defaultText: DEFAULTS.logLevel },
  }),
  ...commonOptions({
    'otel-endpoint': {},
    'otel-service-name': { defaultText: DEFAULTS.serviceName },
    'otel-sampled': { defaultText: String(DEFAULTS.sampled) },
  }),
};

/** All settings that have a flag and a variable; any others can only be set in the file. */
export const GATEWAY_OPTIONS: Options = {
  ...STORE_OPTIONS,
  ...withEnvironment('GATEWAY', { ...NETWORK_OPTIONS, ...ACCOUNT_OPTIONS, ...OPERATION_OPTIONS }),
};
