import { headerNameProblem, isHeaderValue } from '#core/text/header-rules.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/** Where spans are sent, and which requests are traced. */
export interface TracingSettings {
  /** URL for spans (OTLP over HTTP), including `/v1/traces`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /**
   * Share of requests to trace, 0 to 1. If a request contains a `traceparent`, its client decides
   * instead.
   */
  readonly sampled: number;
}

/** The sources of a program's settings. All programs read them in the same order. */
export interface TracingSources {
  /** The program's own flags and their environment variables. */
  readonly flags: {
    readonly endpoint: string | undefined;
    readonly serviceName: string | undefined;
    readonly sampled: number | undefined;
  };
  /** Returns an OpenTelemetry variable. An empty variable counts as unset. */
  readonly variable: (name: string) => string | undefined;
  /** Settings in a configuration file. */
  readonly file?: {
    readonly endpoint?: string | undefined;
    /** Called only if traces are exported, because it checks the headers. */
    readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
    readonly serviceName?: string | undefined;
    readonly sampled?: number | undefined;
  };
  readonly defaultServiceName: string;
  /**
   * Reports an endpoint that is not a URL, with its source: the flag, the file or the name of a
   * variable. If this function does not throw, traces are disabled.
   */
  readonly refuse: (source: EndpointSource, rule: string) => void;
  /** Reports why traces are disabled although an endpoint is set. */
  readonly warn: (reason: string) => void;
}

type EndpointSource = 'flag' | 'file' | typeof ENDPOINT | typeof TRACES_ENDPOINT;

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const TRACES_ENDPOINT = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
/** The variable for traces takes precedence over the one for all signals. */
const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];
/** The variable for traces overrides individual headers of the one for all signals. */
const HEADERS = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'];
const TRACES_PATH = '/v1/traces';
const RULE = 'expected a URL that starts with http:// or https://';

/**
 * Determines the trace export settings; undefined if tracing is disabled, which is the default.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/ for the variables.
 */
export function tracingSettings(sources: TracingSources): TracingSettings | undefined {
  const { flags, variable, file = {} } = sources;
  if (variable('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const found = findEndpoint(sources);
  if (!found) return undefined;
  const exporter = variable('OTEL_TRACES_EXPORTER')?.trim().toLowerCase();
  if (exporter === 'none' && found.source !== 'flag') return undefined;
  const isVariable = found.source === ENDPOINT || found.source === TRACES_ENDPOINT;
  const grpc = isVariable ? PROTOCOLS.find((name) => variable(name) !== undefined) : undefined;
  if (grpc !== undefined && variable(grpc)?.trim().toLowerCase() === 'grpc') {
    sources.warn(
      `${grpc}: grpc is not supported, only OTLP over HTTP. Use http/json and its port, usually 4318.`,
    );
    return undefined;
  }
  const url = URL.parse(found.endpoint);
  const isUrl = url !== null && /^https?:$/.test(url.protocol);
  if (!isUrl) sources.refuse(found.source, RULE);
  const fileHeaders = file.headers?.();
  const headers = HEADERS.map((name) => ({ name, values: readHeaders(variable(name)) }));
  const unsendable = headers.find(({ values }) => !Object.entries(values).every(isSendable));
  // The message does not show any part of the variable, which contains a token.
  if (unsendable) {
    sources.warn(
      `${unsendable.name}: a header has an invalid name or value. Use percent-encoded name=value,name=value.`,
    );
  }
  if (!isUrl || unsendable) return undefined;
  return {
    endpoint: found.endpoint,
    headers: headers.reduce((all, { values }) => ({ ...all, ...values }), fileHeaders ?? {}),
    serviceName:
      flags.serviceName ?? variable('OTEL_SERVICE_NAME') ?? file.serviceName ?? sources.defaultServiceName,
    sampled: flags.sampled ?? samplerShare(variable) ?? file.sampled ?? 1,
  };
}

function findEndpoint({
  flags,
  variable,
  file,
}: TracingSources): { endpoint: string; source: EndpointSource } | undefined {
  if (flags.endpoint !== undefined) return { endpoint: withPath(flags.endpoint), source: 'flag' };
  // The specification requires the URL for traces to be used unchanged.
  const whole = variable(TRACES_ENDPOINT);
  if (whole !== undefined) return { endpoint: whole, source: TRACES_ENDPOINT };
  const base = variable(ENDPOINT);
  if (base !== undefined) return { endpoint: withPath(base), source: ENDPOINT };
  return file?.endpoint === undefined ? undefined : { endpoint: withPath(file.endpoint), source: 'file' };
}

function withPath(endpoint: string): string {
  const bare = trimEndOf(endpoint, '/');
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

const isSendable = ([name, value]: readonly [string, string]): boolean =>
  headerNameProblem(name) === undefined && isHeaderValue(value);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function samplerShare(variable: TracingSources['variable']): number | undefined {
  const sampler = variable('OTEL_TRACES_SAMPLER') ?? '';
  if (sampler.endsWith('always_off')) return 0;
  if (sampler.endsWith('always_on')) return 1;
  if (!sampler.endsWith('traceidratio')) return undefined;
  const share = Number(variable('OTEL_TRACES_SAMPLER_ARG') ?? 1);
  return share >= 0 && share <= 1 ? share : 1;
}

/**
 * Variables for a program that this one starts and calls: it sends its spans to the same collector,
 * for the requests that this program samples.
 */
export const tracingVariables = ({ endpoint, headers }: TracingSettings): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: Object.entries(headers)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join(','),
  OTEL_TRACES_SAMPLER: 'parentbased_always_off',
});
