import { METRICS_ACCESS } from '#core/cli/common-flags.ts';
import { type Static, Type } from 'typebox';
import { LOG_LEVELS } from '#serve/log-levels.ts';
import { THREAD_LIMITS } from '#serve/program/thread-count.ts';
import { DEFAULTS, MASTER_KEY_RULE } from '../defaults.ts';
import { affinity } from './affinity.ts';
import { alerts } from './alerts.ts';
import { audit } from './audit.ts';
import { cache } from './cache.ts';
import { guardrails } from './guardrails.ts';
import { idempotency } from './idempotency.ts';
import { queue } from './queue.ts';
import { type PriceEntry, price } from './prices.ts';
import { type EncoderEntry, encoder, type ProviderEntry, provider, timeouts } from './providers.ts';
import { feedback } from './feedback.ts';
import { promptLog } from './prompt-log.ts';
import { requests } from './requests.ts';
import { type AliasEntry, alias, breaker, retries } from './routing.ts';
import {
  choice,
  computed,
  countOrAuto,
  countSetting,
  durationSetting,
  flagSetting,
  keys,
  mapOf,
  numberSetting,
  textSetting,
} from './shapes.ts';
import { signIn } from './sign-in.ts';
import { tools } from './tools.ts';
import { workloads } from './workloads.ts';
import { workflows } from './workflows.ts';

const port = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 65_535,
    description: 'Port to listen on; 0 selects a free port.',
    default: DEFAULTS.port,
  }),
);

export const network = {
  host: textSetting('Address to listen on; 0.0.0.0 for all addresses.', DEFAULTS.host),
  port,
  tls: Type.Optional(
    keys(
      {
        cert_file: textSetting('TLS certificate (PEM). The path is relative to this file.'),
        key_file: textSetting('TLS private key (PEM). The path is relative to this file.'),
      },
      'TLS. If both files are set, the gateway accepts only HTTPS.',
    ),
  ),
  insecure: flagSetting('Allow listening on non-loopback addresses without a master key.', false),
  allowed_hosts: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: 'Allowed Host header values, in addition to loopback names.',
    }),
  ),
  cors_allow_origins: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: 'Allowed CORS origins; `*` allows all. Default: none.',
    }),
  ),
  public_url: textSetting(
    'URL at which clients reach the gateway, for downloads and uploads.',
    computed(DEFAULTS.publicUrl),
  ),
  threads: countOrAuto(
    'Number of threads that serve model requests; with `auto`, one less than the number of processors. Only Linux supports more than 1.',
    DEFAULTS.threads,
    { minimum: THREAD_LIMITS.min, maximum: THREAD_LIMITS.max },
  ),
  limits: Type.Optional(
    keys(
      {
        max_body_bytes: countSetting('Maximum size of a request body in bytes.', DEFAULTS.maxBodyBytes),
        body_timeout: durationSetting('Timeout for receiving a request body.', DEFAULTS.bodyTimeout),
        request_memory_bytes: countSetting(
          'Maximum total size in bytes of all requests in memory.',
          computed(DEFAULTS.requestMemory),
        ),
        watchdog: durationSetting(
          'The process exits if its event loop is blocked for this long; 0 disables the watchdog.',
          DEFAULTS.watchdog,
        ),
        shutdown: durationSetting(
          'Graceful shutdown timeout. Requests that are not finished by then fail with an error and are closed.',
          DEFAULTS.shutdown,
        ),
      },
      'Request limits.',
    ),
  ),
};

export const accounts = {
  database_url: textSetting(
    'Database URL, postgres://user:password@host:5432/name or sqlite:<file>.',
    computed('a file in `data_dir`'),
  ),
  data_dir: textSetting('Folder of the SQLite database, relative to this file.', computed(DEFAULTS.dataDir)),
  auto_migrate: flagSetting(
    'Migrate an older database to the current schema on startup.',
    DEFAULTS.autoMigrate,
  ),
  master_key: textSetting(`Admin key. ${MASTER_KEY_RULE}.`),
  master_key_file: textSetting('File containing the master key.'),
  bootstrap_api_key: flagSetting('Create a first API key if there is none, and print it once.', false),
  sign_in: Type.Optional(signIn),
  workloads,
  rate_limit_rpm: countSetting('Same as `user_limits.rpm`.'),
  user_limits: Type.Optional(
    keys(
      {
        rpm: countSetting('Requests per minute.'),
        tpm: countSetting('Tokens per minute.'),
        max_parallel: countSetting('Concurrent requests.'),
      },
      'Default limits for users without their own.',
    ),
  ),
};

const alerting = { alerts: Type.Optional(alerts) };

export const models = {
  providers: mapOf<ProviderEntry>(
    { ...provider, nullable: true },
    'Providers by name. A preset needs only its name; the API key is then read from the preset’s environment variable.',
  ),
  encoders: mapOf<EncoderEntry>(
    encoder,
    'Model executables built by encoderfile, for embeddings or classification.',
  ),
  aliases: mapOf<AliasEntry>(alias, 'Aliases of models.'),
  affinity: Type.Optional(affinity),
  timeouts: Type.Optional(timeouts),
  retries: Type.Optional(retries),
  breaker: Type.Optional(breaker),
  guardrails: Type.Optional(guardrails),
  cache: Type.Optional(cache),
  idempotency: Type.Optional(idempotency),
  queue: Type.Optional(queue),
  tools: Type.Optional(tools),
  pricing: mapOf<PriceEntry>(price, 'Prices of models, by `provider:model`.'),
  price_map: flagSetting('Use published prices for models without a custom price.', DEFAULTS.priceMap),
  require_pricing: flagSetting('Reject requests for models without a price.', false),
  allow_unpriced: flagSetting(
    'Allow users and keys with a budget to use models without a price; the cost is not counted.',
    false,
  ),
  requests: Type.Optional(requests),
  assumed_output_tokens: countSetting(
    'Output tokens to assume when a request sets no maximum.',
    DEFAULTS.assumedOutputTokens,
  ),
};

const operations = {
  workflows: Type.Optional(workflows),
  audit: Type.Optional(audit),
  prompt_log: Type.Optional(promptLog),
  feedback: Type.Optional(feedback),
  metrics: choice(
    METRICS_ACCESS,
    'Who can read /metrics: open to all, with a key, or off.',
    DEFAULTS.metrics,
  ),
  enable_metrics: flagSetting('Otari’s equivalent of `metrics`: true for open, false for off.'),
  log_level: choice(LOG_LEVELS, 'Log level; logs are JSON lines on stderr.', DEFAULTS.logLevel),
  otel: Type.Optional(
    keys(
      {
        endpoint: textSetting('URL of a collector for OTLP over HTTP, e.g. http://127.0.0.1:4318.'),
        headers: mapOf<string>({ type: 'string' }, 'Headers to send with every batch.'),
        service_name: textSetting('Service name in traces.', DEFAULTS.serviceName),
        sampled: numberSetting('Share of requests to trace.', { minimum: 0, maximum: 1 }, DEFAULTS.sampled),
      },
      'Traces. The variables OTEL_EXPORTER_OTLP_… take precedence.',
    ),
  ),
};

/** Schema of the configuration file, also published as JSON Schema. */
export const GATEWAY_FILE_SCHEMA = Type.Object(
  { ...network, ...accounts, ...alerting, ...models, ...operations },
  {
    $id: 'urn:encoderfile:gateway-config',
    title: 'Configuration of the gateway',
    additionalProperties: false,
  },
);

export type GatewayFile = Static<typeof GATEWAY_FILE_SCHEMA>;
