import { expect, test } from 'vitest';
import { commonOptions } from '#serve/cli/common-options.ts';
import { parseInvocation } from '#serve/cli/parse.ts';
import { withEnvironment } from '#serve/cli/values.ts';
import { type ReadTracing, readTracing } from '#serve/telemetry/read-tracing.ts';
import type { TracingSettings } from '#serve/telemetry/tracing-settings.ts';

const options = withEnvironment(
  'TEST',
  commonOptions({ 'otel-endpoint': {}, 'otel-service-name': {}, 'otel-sampled': {} }),
);
const command = { summary: '', options, run: () => Promise.resolve(0) };
const readAll = (args: string[], env: Record<string, string> = {}): ReadTracing =>
  readTracing(parseInvocation(command, args, env), env, 'test');
const read = (args: string[], env: Record<string, string> = {}): TracingSettings | undefined =>
  readAll(args, env).tracing;

const COLLECTOR = 'http://127.0.0.1:4318';
const DEFAULTS = { headers: {}, serviceName: 'test', sampled: 1 };

test('traces are disabled by default and with OTEL_SDK_DISABLED', () => {
  expect(read([])).toBeUndefined();
  expect(read([], { OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
  expect(read(['--otel-endpoint', COLLECTOR], { OTEL_SDK_DISABLED: 'TRUE' })).toBeUndefined();
});

test.each<[string, string[], Record<string, string>, Partial<TracingSettings>]>([
  ['the flag', ['--otel-endpoint', COLLECTOR], {}, {}],
  ["the flag's variable", [], { TEST_OTEL_ENDPOINT: `${COLLECTOR}/` }, {}],
  ['the OpenTelemetry variable', [], { OTEL_EXPORTER_OTLP_ENDPOINT: `${COLLECTOR}/v1/traces` }, {}],
  [
    'the OpenTelemetry variable for traces, without changes to its URL',
    [],
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${COLLECTOR}/in`, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other' },
    { endpoint: `${COLLECTOR}/in` },
  ],
  [
    'flags, which take precedence over variables',
    ['--otel-endpoint', COLLECTOR, '--otel-service-name', 'a', '--otel-sampled', '0.5'],
    {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other',
      OTEL_SERVICE_NAME: 'b',
      OTEL_TRACES_SAMPLER: 'always_off',
    },
    { serviceName: 'a', sampled: 0.5 },
  ],
  [
    'the OpenTelemetry variables for headers, name and sampler',
    ['--otel-endpoint', COLLECTOR],
    {
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=x%20y',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'a=2',
      OTEL_SERVICE_NAME: 'b',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    },
    { headers: { a: '2', b: 'x y' }, serviceName: 'b', sampled: 0.25 },
  ],
])('settings are read from %s', (_, args, env, expected) => {
  expect(read(args, env)).toEqual({ endpoint: `${COLLECTOR}/v1/traces`, ...DEFAULTS, ...expected });
});

test.each<[string[], Record<string, string>, string]>([
  [
    ['--otel-endpoint', 'collector:4318'],
    {},
    '--otel-endpoint: expected a URL that starts with http:// or https://.',
  ],
  [[], { TEST_OTEL_ENDPOINT: 'nonsense' }, 'TEST_OTEL_ENDPOINT: expected a URL'],
  [['--otel-sampled', '2'], {}, '--otel-sampled: "2" is not a number from 0 to 1.'],
  [[], { TEST_OTEL_SAMPLED: 'all' }, 'TEST_OTEL_SAMPLED: "all" is not a number from 0 to 1.'],
])('%j %j is rejected', (args, env, message) => {
  expect(() => read(args, env)).toThrow(message);
});

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR };

test.each<[Record<string, string>, string]>([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
    'OTEL_EXPORTER_OTLP_ENDPOINT: expected a URL that starts with http:// or https://. Traces are disabled.',
  ],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'x' }, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: expected a URL'],
  [
    { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    'OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not supported',
  ],
  [
    {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    },
    'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: grpc is not supported',
  ],
  ...['Bearer hush=1', 'a=hush%0A', 'a=hush日', 'host=hush', '=hush'].map(
    (headers): [Record<string, string>, string] => [
      { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: headers },
      'OTEL_EXPORTER_OTLP_HEADERS: a header has an invalid name or value.',
    ],
  ),
])('%j disables traces with a warning that omits values', (env, warning) => {
  const { tracing, tracingWarnings } = readAll([], env);
  expect(tracing).toBeUndefined();
  expect(tracingWarnings).toEqual([expect.stringContaining(warning)]);
  expect(tracingWarnings[0]).toMatch(/Traces are disabled\.$/);
  expect(tracingWarnings[0]).not.toContain('hush');
});

test('OTEL_TRACES_EXPORTER=none disables traces, unless a flag enables them', () => {
  const env = { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' };
  expect(readAll([], env)).toEqual({ tracing: undefined, tracingWarnings: [] });
  expect(read(['--otel-endpoint', COLLECTOR], env)).toBeDefined();
});

test('http/protobuf does not disable traces, because collectors accept JSON on the same port', () => {
  expect(read([], { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' })).toBeDefined();
});
