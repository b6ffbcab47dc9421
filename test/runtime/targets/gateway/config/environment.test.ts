import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseInvocation } from '#serve/cli/parse.ts';
import { serveCommand } from '#gateway/commands/serve.ts';
import { readFlagsAndEnv } from '#gateway/config/flags-and-env.ts';
import { STORE_OPTIONS } from '#gateway/config/options.ts';
import { readGatewayConfig, STORE_SETTINGS } from '#gateway/config/read-config.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { read, readWithEnv } from './read.ts';

const temp = useTempFolder();

test('${NAME} is replaced in any text, and $$ is a literal dollar sign', async () => {
  const env = { PORT: '8123', ON: 'true', HALF: '0.5', KEY: 'k-$not-$$again', NUMBER: '12345' };
  const config = await read(
    'port: ${PORT}\nauto_migrate: ${ON}\notel: {endpoint: "http://x:1", sampled: "${HALF}"}\nmaster_key: ${NUMBER}\nhost: ${HOST_NAME:-127.0.0.2}\nproviders: {openai: {api_key: "${KEY}", headers: {X-A: $PORT, X-B: "a$$b$${PORT}"}}}',
    { env },
  );
  expect(config).toMatchObject({
    server: { port: 8123, host: '127.0.0.2' },
    autoMigrate: true,
    masterKey: '12345',
    tracing: { sampled: 0.5 },
  });
  expect(config.models.providers).toMatchObject([
    { apiKey: 'k-$not-$$again', headers: { 'X-A': '$PORT', 'X-B': 'a$b${PORT}' } },
  ]);
});

test('the default of an unset variable can be a number or a boolean', async () => {
  const config = await read('port: ${P:-81}\nauto_migrate: ${ON:-false}\nhost: ${H:-127.0.0.3}');
  expect(config).toMatchObject({ server: { port: 81, host: '127.0.0.3' }, autoMigrate: false });
});

test('provider keys are read from their usual variables, and sent only to the addresses of the presets', async () => {
  const env = {
    OPENAI_API_KEY: 'env-openai',
    GOOGLE_API_KEY: 'env-google',
    HF_TOKEN: 'env-hf',
    MISTRAL_API_KEY: '',
  };
  const providers = {
    openai: {},
    gemini: null,
    huggingface: {},
    mistral: {},
    second: { type: 'openai' },
    other: { type: 'openai', api_base: 'https://other.example/v1' },
    compatible: { type: 'openai-compatible', api_base: 'https://third.example/v1' },
  };
  const config = await read({ providers }, { env });
  const keys = Object.fromEntries(
    config.models.providers.map((one) => [one.name, 'apiKey' in one ? one.apiKey : undefined]),
  );
  expect(keys).toEqual({
    openai: 'env-openai',
    gemini: 'env-google',
    huggingface: 'env-hf',
    mistral: undefined,
    second: 'env-openai',
    other: undefined,
    compatible: undefined,
  });
  const proxied = await read({ providers: { openai: { api_base: 'https://proxy.example/v1' } } }, { env });
  expect(proxied.models.providers).toMatchObject([{ apiKey: 'env-openai' }]);
});

test('without a configuration file, the presets whose variables are set are used', async () => {
  const before = process.cwd();
  process.chdir(temp());
  try {
    const env = { ANTHROPIC_API_KEY: 'a-key', GROQ_API_KEY: 'g-key', OPENAI_API_KEY: '' };
    const config = await readWithEnv({ env });
    expect(config.models.providers.map(({ name }) => name)).toEqual(['anthropic', 'groq']);
    expect(config.secrets.map(({ value }) => value)).toEqual(expect.arrayContaining(['a-key', 'g-key']));
    expect(config.files).toEqual([join(process.cwd(), 'gateway.yml')]);
    // A cloud provider needs more than a key.
    const clouds = {
      AZURE_OPENAI_ENDPOINT: 'https://r.openai.azure.com',
      AZURE_OPENAI_API_KEY: 'azure-key',
      AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key',
    };
    const names = async (variables: Readonly<Record<string, string>>) =>
      (await readWithEnv({ env: variables })).models.providers.map(({ name }) => name);
    expect(await names(clouds)).toEqual(['azure']);
    expect(await names({ ...clouds, AWS_REGION: 'eu-west-1' })).toEqual(['azure', 'bedrock']);
    writeFileSync('gateway.yml', 'providers: {ollama: }\n', { mode: 0o600 });
    expect((await readWithEnv({ env })).models.providers).toMatchObject([{ name: 'ollama' }]);
  } finally {
    process.chdir(before);
  }
});

test('the master key can come from a flag, a variable, a separate file or the configuration', async () => {
  const key = (name: string): string => `${name}-`.padEnd(40, '0');
  const file = join(temp(), 'key');
  writeFileSync(file, `${key('own-file')}\n`);
  const env = { GATEWAY_MASTER_KEY: key('variable') };
  expect(await read({ master_key: key('file') }, { env })).toMatchObject({
    masterKey: key('variable'),
    warnings: [],
  });
  expect(await read({ master_key: key('file') }, { env, flags: ['--master-key-file', file] })).toMatchObject({
    masterKey: key('own-file'),
  });
  expect(await read({ master_key_file: file })).toMatchObject({ masterKey: key('own-file'), warnings: [] });
  expect(await read({ master_key: key('file') }, { env: { GATEWAY_MASTER_KEY: '' } })).toMatchObject({
    masterKey: key('file'),
  });
  expect(await read({}, { env, flags: ['--master-key', key('flag')] })).toMatchObject({
    masterKey: key('flag'),
    warnings: [expect.stringMatching(/^--master-key is visible to all users/)],
  });
  expect((await read({ master_key: 'short' })).warnings).toEqual([
    expect.stringMatching(/^The master key has 5 characters\. Use at least 32/),
  ]);
  const empty = join(temp(), 'empty');
  writeFileSync(empty, ' \n');
  await expect(read({}, { flags: ['--master-key-file', empty] })).rejects.toThrow(
    /--master-key-file: .*must contain only the key/,
  );
  mkdirSync(join(temp(), 'folder'));
  await expect(read({ master_key_file: join(temp(), 'folder') })).rejects.toThrow(
    /^master_key_file: cannot read /,
  );
  // Database commands work without permission to read the file.
  const flagsAndEnv = readFlagsAndEnv(parseInvocation(serveCommand, [], {}), STORE_OPTIONS, {
    GATEWAY_MASTER_KEY_FILE: join(temp(), 'folder'),
  });
  expect(await readGatewayConfig(flagsAndEnv, {}, { only: STORE_SETTINGS })).toMatchObject({
    masterKey: undefined,
  });
});

test('the standard OpenTelemetry variables take precedence over the file', async () => {
  const file = {
    otel: { endpoint: 'http://file:1', headers: { a: 'file', b: 'file' }, service_name: 'file' },
  };
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/base/',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=x%20y, c=1=2',
    OTEL_SERVICE_NAME: 'ours',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  };
  expect((await read(file, { env })).tracing).toEqual({
    endpoint: 'http://collector:4318/base/v1/traces',
    headers: { a: 'x y', b: 'file', c: '1=2' },
    serviceName: 'ours',
    sampled: 0.25,
  });
  const traces = { ...env, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:1/any' };
  expect((await read(file, { env: traces })).tracing?.endpoint).toBe('http://traces:1/any');
  expect(
    (await read(file, { env: traces, flags: ['--otel-endpoint', 'http://flag:1'] })).tracing?.endpoint,
  ).toBe('http://flag:1/v1/traces');
  expect((await read(file, { env: { OTEL_SDK_DISABLED: 'true' } })).tracing).toBeUndefined();
  expect((await read({})).tracing).toBeUndefined();
});
