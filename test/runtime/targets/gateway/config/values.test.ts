import { chmodSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { read } from './read.ts';

const temp = useTempFolder();
const NO_CACHE = { cacheWrite: null, cacheWrite1h: null, tiers: [] };

test('configuration keys of the predecessor have the same meaning as before', async () => {
  const config = await read(
    `
database_url: "postgresql://gateway:p%40ss-word@postgres:5432/gateway"
auto_migrate: false
host: "0.0.0.0"
port: 9000
master_key: the-master-key-of-this-test-0123456789
rate_limit_rpm: 60
cors_allow_origins: ["https://app.example"]
providers:
  openai:
    api_key: sk-openai-key
    api_base: https://proxy.example/v1/
    client_args: {custom_headers: {X-Team: blue-team}, timeout: 60}
  anthropic:
    api_key: \${ANTHROPIC}
pricing:
  openai:gpt-4o: {input_price_per_million: 2.5, output_price_per_million: 10}
  anthropic/claude: {input_price_per_million: 3, output_price_per_million: "15.000000001", cached_input_price_per_million: 0.3, effective_at: 2026-01-31T08:00+01:00}
enable_metrics: false
bootstrap_api_key: true
`,
    { env: { ANTHROPIC: 'sk-anthropic-key' } },
  );
  expect(config).toMatchObject({
    server: { host: '0.0.0.0', port: 9000, corsOrigins: ['https://app.example'] },
    database: { kind: 'postgres', shown: 'PostgreSQL at postgres:5432/gateway' },
    autoMigrate: false,
    masterKey: 'the-master-key-of-this-test-0123456789',
    userLimits: { rpm: 60, tpm: null, maxParallel: null },
    metrics: 'off',
    bootstrapKey: true,
    warnings: [],
  });
  const [openai, anthropic] = config.models.providers;
  expect(openai).toMatchObject({
    type: 'openai',
    baseUrl: 'https://proxy.example/v1/',
    apiKey: 'sk-openai-key',
    headers: { 'X-Team': 'blue-team' },
    limits: { connectMs: 60_000, firstByteMs: 60_000, answerMs: 60_000, idleMs: 60_000 },
    dialect: { maxTokens: 'max_completion_tokens', hasResponses: true },
    local: false,
  });
  expect(anthropic).toMatchObject({
    type: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    apiKey: 'sk-anthropic-key',
  });
  expect(config.models.pricing).toEqual([
    {
      modelKey: 'openai:gpt-4o',
      input: 2_500_000_000n,
      output: 10_000_000_000n,
      cachedInput: null,
      ...NO_CACHE,
      effectiveAt: undefined,
    },
    {
      modelKey: 'anthropic:claude',
      input: 3_000_000_000n,
      output: 15_000_000_001n,
      cachedInput: 300_000_000n,
      ...NO_CACHE,
      effectiveAt: Date.parse('2026-01-31T07:00:00Z'),
    },
  ]);
  const secrets = [
    'the-master-key-of-this-test-0123456789',
    'sk-openai-key',
    'sk-anthropic-key',
    'blue-team',
    'p%40ss-word',
    'p@ss-word',
  ];
  expect(config.secrets.map(({ value }) => value)).toEqual(expect.arrayContaining(secrets));
});

test('reads all other sections of the file', async () => {
  const program = join(temp(), 'guard.encoder');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  const config = await read({
    allowed_hosts: ['gateway.example'],
    limits: { max_body_bytes: 1000, body_timeout: '5s', shutdown: '1m' },
    user_limits: { rpm: 1, tpm: 2, max_parallel: 3 },
    providers: {
      Lab: {
        type: 'openai-compatible',
        api_base: 'http://10.0.0.7:8000/v1',
        models: ['tiny'],
        dialect: { stream_usage: false },
      },
      cloud: { type: 'mistral', api_key: 'k', timeouts: { idle: '3s', stream: '1h' }, max_connections: 7 },
      ollama: null,
      named: { type: 'openai-compatible', api_base: 'http://models.internal/v1', local: true },
    },
    encoders: { guard: { path: program }, remote: { url: 'http://localhost:8123', api_key: 'encoder-key' } },
    timeouts: { connect: 2, idle: '9s', drain: '30s' },
    retries: { attempts: 0, longest_pause: '1s' },
    breaker: { failures: 2, open: '2m' },
    aliases: {
      one: 'lab:tiny',
      two: ['cloud:a', { model: 'encoder:guard', weight: 0 }],
      three: { targets: ['cloud:a'], fallbacks: ['ollama:b'], strategy: 'fastest' },
    },
    guardrails: {
      profiles: { injection: { encoder: 'guard', labels: 'INJECTION', threshold: 0.9, timeout: '2s' } },
      policy: [
        { profile: 'injection', on: 'both' },
        { profile: 'injection', mode: 'monitor', on: ['output'] },
      ],
    },
    require_pricing: true,
    assumed_output_tokens: 50,
    otel: {
      endpoint: 'http://127.0.0.1:4318',
      headers: { authorization: 'Bearer otel-token' },
      sampled: 0.5,
    },
    log_level: 'debug',
  });
  expect(config.server).toMatchObject({
    maxBodyBytes: 1000,
    bodyTimeoutMs: 5000,
    shutdownMs: 60_000,
    allowedHosts: ['gateway.example'],
  });
  expect(config.userLimits).toEqual({ rpm: 1, tpm: 2, maxParallel: 3 });
  const { providers, aliases, routing, guardrails } = config.models;
  expect(providers.map(({ name, type }) => `${name} ${type}`)).toEqual([
    'lab openai',
    'cloud openai',
    'ollama openai',
    'named openai',
    'guard encoder',
    'remote encoder',
  ]);
  expect(providers).toMatchObject([
    {
      local: true,
      models: ['tiny'],
      dialect: { streamUsage: false },
      limits: { connectMs: 2000, idleMs: 9000, drainMs: 30_000 },
    },
    {
      local: false,
      baseUrl: 'https://api.mistral.ai/v1',
      limits: { connectMs: 2000, idleMs: 3000, streamMs: 3_600_000, maxConnections: 7 },
      dialect: { streamUsage: false },
    },
    { local: true, baseUrl: 'http://127.0.0.1:11434/v1' },
    { local: true },
    { path: program },
    { baseUrl: 'http://localhost:8123', local: true, apiKey: 'encoder-key' },
  ]);
  expect(aliases).toEqual([
    { name: 'one', targets: [{ model: 'lab:tiny' }] },
    { name: 'two', targets: [{ model: 'cloud:a' }, { model: 'encoder:guard', weight: 0 }] },
    { name: 'three', targets: [{ model: 'cloud:a' }], strategy: 'fastest', fallbacks: ['ollama:b'] },
  ]);
  expect(routing).toMatchObject({
    retry: { retries: 0, baseDelay: 100, maxPause: 1000 },
    breaker: { failures: 2, open: 120_000, maxOpen: 120_000 },
  });
  expect(guardrails).toMatchObject({
    profiles: [
      { name: 'injection', encoder: 'guard', labels: ['INJECTION'], threshold: 0.9, timeoutMs: 2000 },
    ],
    demanded: [
      { profile: 'injection', mode: 'block', onUnavailable: 'block', on: ['input', 'output'] },
      { profile: 'injection', mode: 'monitor', onUnavailable: 'monitor', on: ['output'] },
    ],
  });
  expect(config.models).toMatchObject({ requirePricing: true, assumedOutputTokens: 50 });
  expect(config.tracing).toEqual({
    endpoint: 'http://127.0.0.1:4318/v1/traces',
    headers: { authorization: 'Bearer otel-token' },
    serviceName: 'gateway',
    sampled: 0.5,
  });
  expect(config.secrets.map(({ value }) => value)).toEqual(
    expect.arrayContaining(['otel-token', 'encoder-key']),
  );
});

test('flags take precedence over variables, variables over the file and the file over defaults, and empty variables count as unset', async () => {
  const file = {
    port: 1,
    host: '127.0.0.9',
    log_level: 'warn',
    auto_migrate: false,
    cors_allow_origins: ['https://a.example'],
  };
  const env = {
    GATEWAY_PORT: '2',
    GATEWAY_HOST: '',
    GATEWAY_AUTO_MIGRATE: 'true',
    GATEWAY_CORS_ORIGINS: 'https://b.example, *',
  };
  const config = await read(file, { env, flags: ['--port', '3'] });
  expect(config).toMatchObject({
    server: { port: 3, host: '127.0.0.9', corsOrigins: ['https://b.example', '*'] },
    autoMigrate: true,
    logLevel: 'warn',
  });
  expect((await read(file, { env })).server.port).toBe(2);
  expect((await read({})).server).toMatchObject({ host: '127.0.0.1', port: 8000, insecure: false });
});

test('resolves the database location', async () => {
  const env = { XDG_DATA_HOME: '/data/ada' };
  const place = async (config: object, told: Parameters<typeof read>[1] = { env }) =>
    (await read(config, told)).database;
  expect(await place({})).toEqual({ kind: 'sqlite', path: '/data/ada/gateway/gateway.db' });
  expect(await place({}, { env: {} })).toMatchObject({
    path: expect.stringMatching(/\/\.local\/share\/gateway\/gateway\.db$/),
  });
  expect(await place({ data_dir: 'here' })).toMatchObject({
    path: expect.stringMatching(/^\/.*gateway-config-.*\/here\/gateway\.db$/),
  });
  expect(await place({ database_url: 'sqlite:///./x.db' })).toMatchObject({
    path: expect.stringMatching(/gateway-config-.*\/x\.db$/),
  });
  expect(await place({ data_dir: 'here' }, { flags: ['--data-dir', 'there'] })).toMatchObject({
    path: resolve('there/gateway.db'),
  });
  const urls = { DATABASE_URL: 'sqlite:b.db', GATEWAY_DATABASE_URL: 'sqlite:a.db' };
  expect(await place({ database_url: 'sqlite:c.db' }, { env: urls })).toMatchObject({
    path: resolve('a.db'),
  });
  expect(
    await place({ database_url: 'sqlite:c.db' }, { env: { DATABASE_URL: 'sqlite:b.db' } }),
  ).toMatchObject({ path: resolve('b.db') });
});

test('allow_unpriced can be set by the file, a variable or a flag', async () => {
  const allowed = async (...told: Parameters<typeof read>): Promise<boolean> =>
    (await read(...told)).models.allowUnpriced;
  expect(await allowed({})).toBe(false);
  expect(await allowed({ allow_unpriced: true })).toBe(true);
  expect(await allowed({}, { env: { GATEWAY_ALLOW_UNPRICED: 'true' } })).toBe(true);
  expect(await allowed({ allow_unpriced: true }, { flags: ['--allow-unpriced=false'] })).toBe(false);
});
