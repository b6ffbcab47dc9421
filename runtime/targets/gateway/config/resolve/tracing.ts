import { configError } from '../../../../contract/errors.ts';
import { UsageError } from '../../../../serve/cli/command.ts';
import type { GatewayFile } from '../schemas/file.ts';
import type { TracingConfig } from '../spec.ts';
import type { ResolveContext } from './context.ts';
import { sendableHeaders } from './sendable.ts';

const TRACES_PATH = '/v1/traces';
const SHARE = { min: 0, max: 1, whole: false };

/**
 * Resolves the export of traces; undefined if tracing is disabled.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/ for the variables.
 */
export function resolveTracing(
  context: ResolveContext,
  { otel = {} }: GatewayFile,
): TracingConfig | undefined {
  const { flagsAndEnv, report, secrets } = context;
  // An invalid value is refused even if tracing is disabled.
  const share = flagsAndEnv.number('otel-sampled', SHARE);
  if (flagsAndEnv.variable('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const own = flagsAndEnv.text('otel-endpoint');
  const whole = own === undefined ? flagsAndEnv.variable(TRACES_ENDPOINT) : undefined;
  const base = own ?? flagsAndEnv.variable(ENDPOINT) ?? otel.endpoint;
  const endpoint = whole ?? (base === undefined ? undefined : withPath(base));
  if (endpoint === undefined) return undefined;
  const url = URL.parse(endpoint);
  if (!url || !/^https?:$/.test(url.protocol)) {
    const rule = 'expected a URL that begins with http:// or https://';
    if (whole === undefined && own === undefined && flagsAndEnv.variable(ENDPOINT) === undefined)
      report(['otel', 'endpoint'], rule);
    else if (flagsAndEnv.onCommandLine('otel-endpoint')) throw new UsageError(`--otel-endpoint: ${rule}.`);
    else throw configError(`${sourceOf(own, whole, flagsAndEnv.source('otel-endpoint'))}: ${rule}.`);
  }
  const headers = {
    ...sendableHeaders(context, ['otel', 'headers'], otel.headers),
    ...readHeaders(flagsAndEnv.variable('OTEL_EXPORTER_OTLP_HEADERS')),
    ...readHeaders(flagsAndEnv.variable('OTEL_EXPORTER_OTLP_TRACES_HEADERS')),
  };
  for (const [name, value] of Object.entries(headers)) secrets.add(value, [name]);
  return {
    endpoint,
    headers,
    serviceName:
      flagsAndEnv.text('otel-service-name') ??
      flagsAndEnv.variable('OTEL_SERVICE_NAME') ??
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

/** Parses `name=value,name=value`, with percent-encoded values. */
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

function samplerShare({ flagsAndEnv }: ResolveContext): number | undefined {
  const sampler = flagsAndEnv.variable('OTEL_TRACES_SAMPLER') ?? '';
  if (sampler.endsWith('always_off')) return 0;
  if (sampler.endsWith('always_on')) return 1;
  if (!sampler.endsWith('traceidratio')) return undefined;
  const share = Number(flagsAndEnv.variable('OTEL_TRACES_SAMPLER_ARG') ?? 1);
  return share >= 0 && share <= 1 ? share : 1;
}
