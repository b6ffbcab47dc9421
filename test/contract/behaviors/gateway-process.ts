import type { Behaviors } from './behavior.ts';

/** What the gateway promises as a process with a configuration. */
export const GATEWAY_PROCESS = {
  'gateway-process:serves': {
    source: 'docs/gateway.md',
    behavior: 'With a configuration and a key, a request reaches its provider and gets a response.',
  },
  'gateway-process:no-file': {
    source: 'docs/gateway-config.md',
    behavior: 'Without a file, it uses the providers whose variables are set.',
  },
  'gateway-process:precedence': {
    source: 'docs/gateway-config.md',
    behavior: 'Flags take precedence over variables, variables over the file, and the file over defaults.',
  },
  'gateway-process:bad-config': {
    source: 'docs/gateway-config.md',
    behavior:
      'A configuration that is missing, malformed or misspelled is reported with its location, and exit code 1.',
  },
  'gateway-process:database': {
    source: 'docs/troubleshooting.md#gateway',
    behavior: 'A database that cannot be used causes a one-sentence error and exit code 1.',
  },
  'gateway-process:port-in-use': {
    source: 'docs/troubleshooting.md#starting-an-executable',
    behavior: 'A port in use causes a one-sentence error that names it, and exit code 1.',
  },
  'gateway-process:open-address': {
    source: 'docs/gateway-config.md#server',
    behavior: 'Without a master key, it does not listen on non-loopback addresses unless --insecure is set.',
  },
  'gateway-process:secrets': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior: "No log line, error or response contains a provider's key or the master key.",
  },
  'gateway-process:master-key': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior: 'A short master key, or one on the command line, causes a warning; it can be read from a file.',
  },
  'gateway-process:bootstrap': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior: 'If there are no keys, a first one is created and printed once, on stdout.',
  },
  'gateway-process:reload-signal': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior:
      'SIGHUP reloads the file; a stream in progress finishes with the configuration it started with.',
  },
  'gateway-process:reload-file': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior: 'A changed file is reloaded automatically; settings that require a restart are named.',
  },
  'gateway-process:reload-broken': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior: 'An invalid file changes nothing, and both the log and the reload response report the problem.',
  },
  'gateway-process:stop': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior: 'SIGTERM lets streams finish, rejects new requests, and exits with 0.',
  },
  'gateway-process:stop-unread': {
    source: 'docs/serve.md#stopping',
    behavior:
      'On SIGTERM, requests that the system has already received are still served, including on connections not yet accepted, and after --shutdown-delay.',
  },
  'gateway-process:stop-twice': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior: 'A second SIGTERM stops it immediately.',
  },
  'gateway-process:shutdown-time': {
    source: 'docs/gateway-config.md#server',
    behavior: 'A stream that does not finish in time is cut off and billed, and the exit code is 0.',
  },
  'gateway-process:two-on-one-file': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior: "Two gateways on one SQLite file both serve, and accept each other's keys.",
  },
  'gateway-process:registry': {
    source: 'docs/gateway.md#providers-and-aliases',
    behavior:
      'If a gateway is killed, every confirmed provider or alias is served by all gateways, and none is stored partially.',
  },
  'gateway-process:encoders': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior:
      'A reload does not restart unchanged encoders, and no encoder outlives its gateway, however it exits.',
  },
  'gateway-process:traces': {
    source: 'docs/telemetry.md',
    behavior: "A request's trace continues in the encoders that the gateway started.",
  },
  'gateway-process:workers': {
    source: 'docs/gateway-config.md#workflows',
    behavior: 'A job runs in a process of the serving executable, which exits with its gateway.',
  },
  'gateway-process:workers-tls': {
    source: 'docs/gateway-config.md#workflows',
    behavior: 'Workers connect to a gateway over TLS, also with a certificate from a private authority.',
  },
  'gateway-process:ranges': {
    source: 'docs/gateway-config.md#workflows',
    behavior:
      'Several workers share the rows of a job; if one is killed, the others write its rows, each exactly once and in order.',
  },
  'gateway-process:job-files': {
    source: 'docs/gateway-config.md#executables-on-nodes',
    behavior:
      "A worker on a cluster downloads the job's gateway and encoder by their SHA-256, in full or in ranges, only with its token, and never a different version.",
  },
  'gateway-process:config-commands': {
    source: 'docs/gateway-config.md',
    behavior:
      '`config check` reports problems or the resulting configuration, `config schema` prints its JSON Schema.',
  },
} as const satisfies Behaviors;
