/** A flag that several of the four programs have. */
export interface CommonFlag {
  readonly short?: string;
  /** Name of the value in help; a flag without one is a switch. */
  readonly value?: string;
  readonly help: string;
  readonly choices?: readonly string[];
  /** Other words for choices, which work but are not in help. */
  readonly choiceAliases?: Readonly<Record<string, string>>;
  /** Other names of the flag, which work but are not in help. */
  readonly aliases?: readonly string[];
}

/**
 * The name of each flag that has the same meaning in several programs. Programs add their defaults, but do not rename the
 * flag. Old spellings stay as aliases, because scripts use them (docs/decisions/0042).
 */
export const COMMON_FLAGS = {
  config: { short: 'c', value: 'file', help: 'Configuration file', aliases: ['config-file'] },
  host: { value: 'host', help: 'Address to listen on; 0.0.0.0 for all', aliases: ['hostname'] },
  port: { value: 'port', help: 'Port to listen on; 0 selects a free port' },
  'cert-file': { value: 'file', help: 'TLS certificate (PEM); requires --key-file' },
  'key-file': { value: 'file', help: 'TLS private key (PEM); requires --cert-file' },
  insecure: { help: 'Allow addresses other than loopback without requiring a key' },
  'allowed-hosts': { value: 'hosts', help: 'Allowed Host header values, comma-separated' },
  'cors-origins': {
    value: 'origins',
    help: 'Allowed CORS origins, comma-separated; * allows all',
    aliases: ['cors-allow-origins', 'cors-allow-origin'],
  },
  'max-body': {
    value: 'bytes',
    help: 'Maximum request body size in bytes',
    aliases: ['max-body-bytes'],
  },
  'max-request-memory': {
    value: 'bytes',
    help: 'Maximum bytes held for all requests; further ones get 429',
  },
  'watchdog-timeout': {
    value: 'time',
    help: 'End the process if its event loop stands still for this time; 0 disables the watchdog',
  },
  'shutdown-timeout': {
    value: 'time',
    help: 'Graceful shutdown timeout for requests in flight, e.g. 30s',
    aliases: ['drain-seconds', 'timeout-api-shutdown'],
  },
  'shutdown-delay': {
    value: 'time',
    help: 'Time to report "not ready" and still accept requests before the shutdown, for load balancers, e.g. 5s',
  },
  'log-level': {
    value: 'level',
    help: 'Log level; logs are JSON lines on stderr',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    choiceAliases: { trace: 'debug', off: 'silent' },
  },
  metrics: {
    value: 'access',
    help: 'Access to /metrics: open to all, with an API key if the server requires keys, or off',
    choices: ['open', 'key', 'off'],
  },
  'otel-endpoint': {
    value: 'url',
    help: 'URL of a collector for OTLP over HTTP; also read from OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  'otel-service-name': { value: 'name', help: 'Service name in traces' },
  'otel-sampled': { value: 'share', help: 'Share of requests to trace, 0 to 1' },
  'no-watch': { help: 'Do not reload the configuration when its file changes' },
  url: { value: 'url', help: 'URL of a running server', aliases: ['addr'] },
  'api-key': { value: 'key', help: 'API key for requests. Visible in the process list; prefer the variable' },
  json: { help: 'Print the result, or the error, as JSON' },
  force: { help: 'Replace existing files', aliases: ['overwrite'] },
  limit: { value: 'count', help: 'Maximum number of results' },
  expires: { value: 'time', help: 'Expiry, e.g. 90d or 2027-01-31' },
} as const satisfies Readonly<Record<string, CommonFlag>>;

export type CommonFlagName = keyof typeof COMMON_FLAGS;
