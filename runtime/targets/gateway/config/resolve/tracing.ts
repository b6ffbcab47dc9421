import { configError } from '../../../../contract/errors.ts';
import { UsageError } from '../../../../serve/cli/command.ts';
import type { GatewayFile } from '../schemas/file.ts';
import type { TracingConfig } from '../spec.ts';
import type { ResolveContext } from './context.ts';
import { sendableHeaders } from './sendable.ts';

const TRACES_PATH = '/v1/traces';
const SHARE = { min: 0, max: 1, whole: false };

/** @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/ for the variables. Undefined: nothing is traced. */
export function resolveTracing(
  context: ResolveContext,
  { otel = {} }: GatewayFile,
): TracingConfig | undefined {
  const { given, report, secrets } = context;
  // What cannot be meant is refused although nothing is traced.
  const share = given.number('otel-sampled', SHARE);
  if (given.variable('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const own = given.text('otel-endpoint');
  const whole = own === undefined ? given.variable(TRACES_ENDPOINT) : undefined;
  const base = own ?? given.variable(ENDPOINT) ?? otel.endpoint;
  const endpoint = whole ?? (base === undefined ? undefined : withPath(base));
  if (endpoint === undefined) return undefined;
  const url = URL.parse(endpoint);
  if (!url || !/^https?:$/.test(url.protocol)) {
    const rule = 'expected an address that begins with http:// or https://';
    if (whole === undefined && own === undefined && given.variable(ENDPOINT) === undefined)
      report(['otel', 'endpoint'], rule);
    else if (given.onCommandLine('otel-endpoint')) throw new UsageError(`--otel-endpoint: ${rule}.`);
    else throw configError(`${sourceOf(own, whole, given.source('otel-endpoint'))}: ${rule}.`);
  }
  const headers = {
    ...sendableHeaders(context, ['otel', 'headers'], otel.headers),
    ...readHeaders(given.variable('OTEL_EXPORTER_OTLP_HEADERS')),
    ...readHeaders(given.variable('OTEL_EXPORTER_OTLP_TRACES_HEADERS')),
  };
  for (const [name, value] of Object.entries(headers)) secrets.add(value, [name]);
  return {
    endpoint,
    headers,
    serviceName:
      given.text('otel-service-name') ??
      given.variable('OTEL_SERVICE_NAME') ??
      otel.service_name ??
      'gateway',
    sampled: share ?? samplerShare(context) ?? otel.sampled ?? 1,
  };
}

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const TRACES_ENDPOINT = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';

const sourceOf = (own: string | undefined, whole: string | undefined, flag: string): string => {
  if (own !== undefined) return flag;
  return whole === undefined ? ENDPOINT : TRACES_ENDPOINT;
};

function withPath(endpoint: string): string {
  const bare = endpoint.replace(/\/+$/, '');
  return bare.endsWith(TRACES_PATH) ? bare : bare + TRACES_PATH;
}

/** `name=value,name=value`, with values as in URLs. */
function readHeaders(text = ''): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decode(pair.slice(at + 1).trim())];
    }),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function samplerShare({ given }: ResolveContext): number | undefined {
  const sampler = given.variable('OTEL_TRACES_SAMPLER') ?? '';
  if (sampler.endsWith('always_off')) return 0;
  if (sampler.endsWith('always_on')) return 1;
  if (!sampler.endsWith('traceidratio')) return undefined;
  const share = Number(given.variable('OTEL_TRACES_SAMPLER_ARG') ?? 1);
  return share >= 0 && share <= 1 ? share : 1;
}
