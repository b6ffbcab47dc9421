import { type Static, Type } from 'typebox';
import { LOG_LEVELS } from '../../../../serve/log-levels.ts';
import { guardrails } from './guardrails.ts';
import { type PriceEntry, price } from './prices.ts';
import { type EncoderEntry, encoder, type ProviderEntry, provider, timeouts } from './providers.ts';
import { type AliasEntry, alias, breaker, retries } from './routing.ts';
import { choice, count, duration, flag, keys, mapOf, text } from './shapes.ts';
import { workflows } from './workflows.ts';

const port = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 65_535, description: 'Port; 0 takes a free one (8000).' }),
);

const network = {
  host: text('Address to listen on; 0.0.0.0 for all (127.0.0.1).'),
  port,
  tls: Type.Optional(
    keys(
      {
        cert_file: text('Certificate (PEM), relative to this file.'),
        key_file: text('Its private key (PEM).'),
      },
      'With both, the gateway speaks HTTPS only.',
    ),
  ),
  insecure: flag('Listen on other addresses than loopback although there is no master key.'),
  allowed_hosts: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: 'Names that callers may use for this machine, besides loopback ones.',
    }),
  ),
  cors_allow_origins: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: 'Origins of web pages that may call; `*` for all. None by default.',
    }),
  ),
  limits: Type.Optional(
    keys(
      {
        max_body_bytes: count('Bytes that the body of a request may have (32 MiB).'),
        body_timeout: duration('How long a body may take to arrive (30s).'),
        shutdown: duration(
          'When told to stop: how long all of it may take (30s); what is not answered by then is told so and cut.',
        ),
      },
      'What requests may use.',
    ),
  ),
};

const accounts = {
  database_url: text(
    'postgres://user:password@host:5432/name, or sqlite:<file>; a file in data_dir unless set.',
  ),
  data_dir: text('Folder of the database, relative to this file.'),
  auto_migrate: flag('Bring an older database to this version at the start (true).'),
  master_key: text('Opens everything; at least 32 characters.'),
  master_key_file: text('A file that holds it.'),
  bootstrap_api_key: flag('Make a first key and print it once, if there are no keys (false).'),
  rate_limit_rpm: count('Requests a minute of each user; the same as `user_limits.rpm`.'),
  user_limits: Type.Optional(
    keys(
      {
        rpm: count('Requests a minute.'),
        tpm: count('Tokens a minute.'),
        max_parallel: count('Requests at once.'),
      },
      'Of users that have none of their own.',
    ),
  ),
};

const models = {
  providers: mapOf<ProviderEntry>(
    { ...provider, nullable: true },
    'Who is asked. A preset needs no more than its name; then its key comes from its variable.',
  ),
  encoders: mapOf<EncoderEntry>(encoder, 'Executables of encoderfile that embed or classify.'),
  aliases: mapOf<AliasEntry>(alias, 'Names for models.'),
  timeouts: Type.Optional(timeouts),
  retries: Type.Optional(retries),
  breaker: Type.Optional(breaker),
  guardrails: Type.Optional(guardrails),
  pricing: mapOf<PriceEntry>(price, 'Prices of models, by `provider:model`.'),
  require_pricing: flag('Refuse models without a price (false).'),
  allow_unpriced: flag(
    'Allow requests under a budget to models without a price; their cost is not counted (false).',
  ),
  assumed_output_tokens: count('Tokens to expect of an answer where a request names no most (1024).'),
};

const operations = {
  workflows: Type.Optional(workflows),
  enable_metrics: flag('Serve /metrics for Prometheus (true).'),
  log_level: choice(LOG_LEVELS, 'What to log, as lines of JSON on stderr (info).'),
  otel: Type.Optional(
    keys(
      {
        endpoint: text('Where a collector takes OTLP over HTTP, as http://127.0.0.1:4318.'),
        headers: mapOf<string>({ type: 'string' }, 'Sent with every batch.'),
        service_name: text('What we are called there (gateway).'),
        sampled: Type.Optional(
          Type.Number({ minimum: 0, maximum: 1, description: 'Which share of requests is traced (1).' }),
        ),
      },
      'Traces. The variables OTEL_EXPORTER_OTLP_… say the same and go before it.',
    ),
  ),
};

/** The configuration file, and what is published as its JSON Schema. */
export const GATEWAY_FILE_SCHEMA = Type.Object(
  { ...network, ...accounts, ...models, ...operations },
  {
    $id: 'urn:encoderfile:gateway-config',
    title: 'Configuration of the gateway',
    additionalProperties: false,
  },
);

export type GatewayFile = Static<typeof GATEWAY_FILE_SCHEMA>;
