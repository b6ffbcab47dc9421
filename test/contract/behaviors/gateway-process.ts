import type { Behaviors } from './behavior.ts';

/** Documented behavior of the gateway process and its configuration. */
export const GATEWAY_PROCESS = {
  'gateway-process:serves': {
    source: 'docs/gateway.md',
    behavior:
      'With a configuration and a key, a request is forwarded to its provider, and the response is returned.',
  },
  'gateway-process:no-file': {
    source: 'docs/gateway-config.md',
    behavior:
      'Without a configuration file, the gateway uses the providers whose environment variables are set.',
  },
  'gateway-process:precedence': {
    source: 'docs/gateway-config.md',
    behavior:
      'Flags take precedence over environment variables, variables over the file, and the file over defaults.',
  },
  'gateway-process:bad-config': {
    source: 'docs/gateway-config.md',
    behavior:
      'If the configuration is missing, malformed or contains a misspelled setting, the gateway reports the location of the problem and exits with code 1.',
  },
  'gateway-process:database': {
    source: 'docs/troubleshooting.md#gateway',
    behavior: 'A database that cannot be used causes a one-sentence error and exit code 1.',
  },
  'gateway-process:port-in-use': {
    source: 'docs/troubleshooting.md#starting-an-executable',
    behavior: 'A port in use causes a one-sentence error that names the port, and exit code 1.',
  },
  'gateway-process:open-address': {
    source: 'docs/gateway-config.md#server',
    behavior:
      'Without a master key, the gateway does not listen on non-loopback addresses unless --insecure is set.',
  },
  'gateway-process:secrets': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior: "Logs, errors and responses never contain a provider's key or the master key.",
  },
  'gateway-process:master-key': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior:
      'A master key that is short or passed on the command line causes a warning; the key can also be read from a file.',
  },
  'gateway-process:bootstrap': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior: 'If no keys exist, the gateway creates one and prints it once to stdout.',
  },
  'gateway-process:threads-keys': {
    source: 'docs/gateway.md#several-keys-of-a-provider',
    behavior: 'Serving threads share the cool-downs of provider keys, and choose the same key for a session.',
  },
  'gateway-process:threads-idempotency': {
    source: 'docs/gateway.md#idempotency-keys',
    behavior: 'Serving threads run requests with the same Idempotency-Key only once.',
  },
  'gateway-process:killed-idempotency': {
    source: 'docs/gateway.md#idempotency-keys',
    behavior:
      'After a gateway was killed, a repeated request gets the stored response, or runs again if it had not ended.',
  },
  'gateway-process:ab': {
    source: 'docs/how-to/ab-tests.md#read-the-verdict',
    behavior:
      'Gateways that share a database give a user the same variant and reach one verdict, and the webhook receives it once.',
  },
  'gateway-process:shadow': {
    source: 'docs/how-to/shadow.md#read-the-verdict',
    behavior:
      'Gateways that share a database compare requests for one shadow evaluation, and the webhook receives its verdict once.',
  },
  'gateway-process:threads-budget': {
    source: 'docs/gateway-config.md#threads',
    behavior:
      'Limits apply to all serving threads together: of 200 concurrent requests, a budget for 10 admits 10.',
  },
  'gateway-process:threads-whole': {
    source: 'docs/gateway-config.md#threads',
    behavior:
      'Metrics, requests in flight and circuit breakers are those of all serving threads, and a shutdown waits for all their requests.',
  },
  'gateway-process:threads-changes': {
    source: 'docs/gateway-config.md#threads',
    behavior:
      'A new provider, a deleted key and a reloaded configuration apply to all serving threads as soon as the change is confirmed.',
  },
  'gateway-process:threads-provider-limit': {
    source: 'docs/gateway-config.md#threads',
    behavior: 'The serving threads together keep the maximum number of connections to a provider.',
  },
  'gateway-process:threads-feedback': {
    source: 'docs/gateway.md#feedback',
    behavior:
      'With several serving threads, feedback finds a request as soon as its response has ended, and each author has one item per request.',
  },
  'gateway-process:threads-refused': {
    source: 'docs/gateway-config.md#threads',
    behavior: 'An invalid number of threads, and a port that is in use, are errors of one sentence.',
  },
  'gateway-process:reload-signal': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior:
      'On SIGHUP, the gateway reloads the file; a stream in progress finishes with the configuration that it started with.',
  },
  'gateway-process:reload-file': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior:
      'A changed file is reloaded automatically, and changed settings that require a restart are reported by name.',
  },
  'gateway-process:reload-broken': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior:
      'If the file is invalid, the configuration does not change, and both the log and the reload response report the problem.',
  },
  'gateway-process:stop': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior: 'On SIGTERM, the gateway lets streams finish, rejects new requests and exits with code 0.',
  },
  'gateway-process:queue-priority': {
    source: 'docs/gateway.md#queues',
    behavior:
      'Waiting requests of a key with a high priority precede those of a key with a low one, on several serving threads, too.',
  },
  'gateway-process:queue-disconnect': {
    source: 'docs/gateway.md#queues',
    behavior: 'Requests of clients that disconnect leave the queue, and no model is called for them.',
  },
  'gateway-process:queue-expiry': {
    source: 'docs/gateway.md#queues',
    behavior: 'A request whose key expires or is deleted while it waits is rejected with 401.',
  },
  'gateway-process:queue-stop': {
    source: 'docs/gateway.md#queues',
    behavior:
      'On SIGTERM, waiting requests get 503, while requests in flight finish and the gateway exits with code 0.',
  },
  'gateway-process:stop-unread': {
    source: 'docs/serve.md#stopping',
    behavior:
      'On SIGTERM, the gateway still serves requests that the operating system has already received, even on connections that are not accepted yet, and even after --shutdown-delay.',
  },
  'gateway-process:stop-twice': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior: 'A second SIGTERM stops the gateway immediately.',
  },
  'gateway-process:shutdown-time': {
    source: 'docs/gateway-config.md#server',
    behavior:
      'A stream that does not finish before the shutdown timeout is cut off and billed, and the gateway exits with code 0.',
  },
  'gateway-process:two-on-one-file': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior: "Two gateways that share a SQLite file both serve requests, and accept each other's keys.",
  },
  'gateway-process:registry': {
    source: 'docs/gateway.md#providers-and-aliases',
    behavior:
      'After a gateway is killed, all gateways serve every confirmed provider and alias, and no entry is stored partially.',
  },
  'gateway-process:encoders': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior:
      'A reload does not restart unchanged encoders, and no encoder outlives its gateway, regardless of how the gateway exits.',
  },
  'gateway-process:traces': {
    source: 'docs/telemetry.md',
    behavior: "A request's trace continues in the encoders that the gateway has started.",
  },
  'gateway-process:workers': {
    source: 'docs/gateway-config.md#workflows',
    behavior:
      'A job runs in a separate process of the gateway executable, and this process exits together with the gateway.',
  },
  'gateway-process:workers-tls': {
    source: 'docs/gateway-config.md#workflows',
    behavior:
      'Workers can connect to a gateway over TLS, even with a certificate from a private certificate authority.',
  },
  'gateway-process:ranges': {
    source: 'docs/gateway-config.md#workflows',
    behavior:
      'Several workers share the rows of a job; if a worker is killed, the others write its rows, each exactly once and in order.',
  },
  'gateway-process:job-files': {
    source: 'docs/gateway-config.md#executables-on-nodes',
    behavior:
      "A worker on a cluster downloads its job's gateway and encoder by SHA-256 hash, in full or in ranges; the download requires the worker's token and never returns a different version.",
  },
  'gateway-process:config-commands': {
    source: 'docs/gateway-config.md',
    behavior:
      '`config check` reports problems or prints the resulting configuration, and `config schema` prints its JSON Schema.',
  },
} as const satisfies Behaviors;
