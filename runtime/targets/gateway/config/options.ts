import type { Option } from '../../../serve/cli/command.ts';
import { commonOptions } from '../../../serve/cli/common-options.ts';
import { withEnvironment } from '../../../serve/cli/values.ts';

type Options = Readonly<Record<string, Option>>;

/** Which configuration, and which database: for every command that uses one. */
export const STORE_OPTIONS: Options = withEnvironment('GATEWAY', {
  ...commonOptions({
    config: {
      help: 'Configuration file (YAML or JSON)',
      defaultText: 'gateway.yml in the current directory, if it exists',
    },
  }),
  'data-dir': {
    value: 'folder',
    help: 'Where the database is; by default gateway in $XDG_DATA_HOME or ~/.local/share',
  },
  'database-url': {
    value: 'url',
    help: 'postgres://user:password@host:5432/name, or sqlite:<file>; DATABASE_URL says the same',
  },
});

const NETWORK_OPTIONS: Options = {
  ...commonOptions({
    host: { defaultText: '127.0.0.1' },
    port: { defaultText: '8000' },
    'cert-file': {},
    'key-file': {},
    insecure: { help: 'Allow addresses other than loopback without a master key' },
    'allowed-hosts': {},
    'cors-origins': {},
    'max-body': { defaultText: '33554432' },
    'shutdown-timeout': {
      help: 'Graceful shutdown timeout for requests and streams in flight, e.g. 30s',
      defaultText: '30s',
    },
  }),
  'body-timeout': { value: 'time', help: 'How long a body may take to arrive (30s)' },
};

const ACCOUNT_OPTIONS: Options = {
  'auto-migrate': {
    help: 'Bring an older database to this version at the start; --auto-migrate=false to refuse',
  },
  'master-key': {
    value: 'key',
    help: 'Opens everything. Others on this machine can read it on the command line: prefer the variable',
  },
  'master-key-file': { value: 'file', help: 'A file that holds it' },
  'bootstrap-api-key': { help: 'Make a first key and print it once, if there are no keys' },
  'rate-limit-rpm': { value: 'number', help: 'Requests a minute of users that have no limit of their own' },
  'rate-limit-tpm': { value: 'number', help: 'The same for tokens a minute' },
  'rate-limit-parallel': { value: 'number', help: 'The same for requests at once' },
  'require-pricing': { help: 'Refuse models without a price' },
  'allow-unpriced': { help: 'Allow requests under a budget to models without a price' },
  'assumed-output-tokens': {
    value: 'number',
    help: 'Tokens to expect of an answer where a request names no most (1024)',
  },
};

const OPERATION_OPTIONS: Options = {
  'enable-metrics': { help: 'Serve /metrics for Prometheus; --enable-metrics=false to switch it off' },
  ...commonOptions({ 'log-level': { defaultText: 'info' } }),
  'otel-endpoint': {
    value: 'url',
    help: 'Where a collector takes OTLP over HTTP; OTEL_EXPORTER_OTLP_ENDPOINT says the same',
  },
  'otel-service-name': { value: 'name', help: 'What the gateway is called there (gateway)' },
  'otel-sampled': { value: 'share', help: 'Which share of requests is traced, 0 to 1 (1)' },
};

/** All that flags and variables can say; everything else only stands in the file. */
export const GATEWAY_OPTIONS: Options = {
  ...STORE_OPTIONS,
  ...withEnvironment('GATEWAY', { ...NETWORK_OPTIONS, ...ACCOUNT_OPTIONS, ...OPERATION_OPTIONS }),
};
