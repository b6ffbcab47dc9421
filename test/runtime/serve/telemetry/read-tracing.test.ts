import { expect, test } from 'vitest';
import { commonOptions } from '../../../../runtime/serve/cli/common-options.ts';
import { parseInvocation } from '../../../../runtime/serve/cli/parse.ts';
import { withEnvironment } from '../../../../runtime/serve/cli/values.ts';
import { readTracing } from '../../../../runtime/serve/telemetry/read-tracing.ts';
import type { TracingSettings } from '../../../../runtime/serve/telemetry/tracing-settings.ts';

const options = withEnvironment(
  'TEST',
  commonOptions({ 'otel-endpoint': {}, 'otel-service-name': {}, 'otel-sampled': {} }),
);
const command = { summary: '', options, run: () => Promise.resolve(0) };
const read = (args: string[], env: Record<string, string> = {}): TracingSettings | undefined =>
  readTracing(parseInvocation(command, args, env), env, 'test');

const COLLECTOR = 'http://127.0.0.1:4318';
const DEFAULTS = { headers: {}, serviceName: 'test', sampled: 1 };

test('traces are disabled by default, and by OTEL_SDK_DISABLED', () => {
  expect(read([])).toBeUndefined();
  expect(read([], { OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
  expect(read(['--otel-endpoint', COLLECTOR], { OTEL_SDK_DISABLED: 'TRUE' })).toBeUndefined();
});

test.each<[string, string[], Record<string, string>, Partial<TracingSettings>]>([
  ['the flag', ['--otel-endpoint', COLLECTOR], {}, {}],
  ['its variable', [], { TEST_OTEL_ENDPOINT: `${COLLECTOR}/` }, {}],
  ['the variable of OpenTelemetry', [], { OTEL_EXPORTER_OTLP_ENDPOINT: `${COLLECTOR}/v1/traces` }, {}],
  [
    'the variable for traces, as it is',
    [],
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${COLLECTOR}/in`, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other' },
    { endpoint: `${COLLECTOR}/in` },
  ],
  [
    'the flag before all variables',
    ['--otel-endpoint', COLLECTOR, '--otel-service-name', 'a', '--otel-sampled', '0.5'],
    {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other',
      OTEL_SERVICE_NAME: 'b',
      OTEL_TRACES_SAMPLER: 'always_off',
    },
    { serviceName: 'a', sampled: 0.5 },
  ],
  [
    'headers, name and sampler of OpenTelemetry',
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
])('settings from %s', (_, args, env, expected) => {
  expect(read(args, env)).toEqual({ endpoint: `${COLLECTOR}/v1/traces`, ...DEFAULTS, ...expected });
});

test.each<[string[], Record<string, string>, string]>([
  [
    ['--otel-endpoint', 'collector:4318'],
    {},
    '--otel-endpoint: expected a URL that begins with http:// or https://.',
  ],
  [[], { OTEL_EXPORTER_OTLP_ENDPOINT: 'nonsense' }, 'OTEL_EXPORTER_OTLP_ENDPOINT: expected a URL'],
  [['--otel-sampled', '2'], {}, '--otel-sampled: "2" is not a number from 0 to 1.'],
  [[], { TEST_OTEL_SAMPLED: 'all' }, 'TEST_OTEL_SAMPLED: "all" is not a number from 0 to 1.'],
])('%j %j is refused', (args, env, message) => {
  expect(() => read(args, env)).toThrow(message);
});
