import { lookup } from '#core/values/lookup.ts';
/** A flag that several of the four programs share. */
export interface CommonFlag {
  readonly short?: string;
  /** Placeholder for the value in help; a flag without one is a switch. */
  readonly value?: string;
  readonly help: string;
  readonly choices?: readonly string[];
}

/**
 * Who can read `/metrics`: `open` allows all callers, `key` requires a valid key if keys are
 * configured, `off` disables it.
 */
export const METRICS_ACCESS = ['open', 'key', 'off'] as const;
export type MetricsAccess = (typeof METRICS_ACCESS)[number];

/** Converts the value of the flag for `/metrics`, which has been checked against the flag's choices. */
export const metricsAccess = (text: string | undefined): MetricsAccess =>
  METRICS_ACCESS.find((access) => access === text) ?? 'key';

/**
 * The name of each flag that has the same meaning in several programs. Programs add their defaults,
 * but do not rename the flag (docs/decisions/0042).
 */
export const COMMON_FLAGS = {
  config: { short: 'c', value: 'file', help: 'Configuration file' },
  host: { value: 'host', help: 'Address to listen on; 0.0.0.0 for all' },
  port: { value: 'port', help: 'Port to listen on; 0 selects a free port' },
  'cert-file': { value: 'file', help: 'TLS certificate (PEM); requires --key-file' },
  'key-file': { value: 'file', help: 'TLS private key (PEM); requires --cert-file' },
  insecure: { help: 'Allow addresses other than loopback without requiring a key' },
  'allowed-hosts': { value: 'hosts', help: 'Allowed Host header values, comma-separated' },
  'cors-origins': {
    value: 'origins',
    help: 'Allowed CORS origins, comma-separated; * allows all',
  },
  'max-body': {
    value: 'bytes',
    help: 'Maximum request body size in bytes',
  },
  'max-request-memory': {
    value: 'bytes',
    help: 'Memory limit in bytes for all requests; requests beyond it get 429',
  },
  'watchdog-timeout': {
    value: 'time',
    help: 'Terminate the process if its event loop is blocked for this long; 0 disables the watchdog',
  },
  'shutdown-timeout': {
    value: 'time',
    help: 'Graceful shutdown timeout for requests in flight, e.g. 30s',
  },
  'shutdown-delay': {
    value: 'time',
    help: 'Time to report "not ready" while still accepting requests before shutdown, for load balancers, e.g. 5s',
  },
  'log-level': {
    value: 'level',
    help: 'Log level; logs are JSON lines on stderr',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
  },
  metrics: {
    value: 'access',
    help: 'Access to /metrics: open, with an API key if the server requires keys, or off',
    choices: METRICS_ACCESS,
  },
  'otel-endpoint': {
    value: 'url',
    help: 'URL of an OTLP/HTTP collector; also read from OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  'otel-service-name': { value: 'name', help: 'Service name in traces' },
  'otel-sampled': { value: 'share', help: 'Share of requests to trace, 0 to 1' },
  'no-watch': { help: 'Do not reload the configuration when its file changes' },
  url: { value: 'url', help: 'URL of a running server' },
  'api-key': { value: 'key', help: 'API key for requests. Visible in the process list; prefer the variable' },
  json: { help: 'Print the result, or the error, as JSON' },
  force: { help: 'Replace existing files' },
  limit: { value: 'count', help: 'Maximum number of results' },
  expires: { value: 'time', help: 'Expiry, e.g. 90d or 2027-01-31' },
} as const satisfies Readonly<Record<string, CommonFlag>>;

export type CommonFlagName = keyof typeof COMMON_FLAGS;

/** An earlier program whose files, clients or scripts continue to work with the programs of this project. */
export type Origin = 'encoderfile 0.7 in Rust' | 'mcpd' | 'Otari';

/** An alias of an option. It works, but is not shown in help and completion. */
export interface InheritedName {
  readonly origin: Origin;
  /** Name of the flag; undefined if only the environment variable is inherited. */
  readonly name?: string;
  readonly env?: string;
  /** Values that only the earlier program accepted, with the equivalent choices. */
  readonly words?: Readonly<Record<string, string>>;
}

/**
 * The names that each program inherits from an earlier program, by the prefix of the program's
 * environment variables and by option.
 */
export const INHERITED_NAMES = lookup<Readonly<Record<string, readonly InheritedName[]>>>({
  ENCODERFILE_MCP: { host: [{ origin: 'encoderfile 0.7 in Rust', name: 'hostname' }] },
  MCP_MANAGER: {
    config: [{ origin: 'mcpd', name: 'config-file', env: 'MCPD_CONFIG_FILE' }],
    'runtime-file': [{ origin: 'mcpd', env: 'MCPD_RUNTIME_FILE' }],
    'log-level': [
      { origin: 'mcpd', name: 'log-level', env: 'MCPD_LOG_LEVEL', words: { trace: 'debug', off: 'silent' } },
    ],
    'log-path': [{ origin: 'mcpd', env: 'MCPD_LOG_PATH' }],
    'shutdown-timeout': [{ origin: 'mcpd', name: 'timeout-api-shutdown' }],
    'cors-origins': [{ origin: 'mcpd', name: 'cors-allow-origin' }],
    'cors-allow-methods': [{ origin: 'mcpd', name: 'cors-allow-method' }],
    'cors-allow-headers': [{ origin: 'mcpd', name: 'cors-allow-header' }],
    'cors-expose-headers': [{ origin: 'mcpd', name: 'cors-expose-header' }],
    'registry-max-age': [{ origin: 'mcpd', name: 'cache-ttl' }],
  },
  GATEWAY: {
    metrics: [
      {
        origin: 'Otari',
        env: 'GATEWAY_ENABLE_METRICS',
        words: { true: 'open', '1': 'open', false: 'off', '0': 'off' },
      },
    ],
  },
});
