import type { Behaviors } from './behavior.ts';

/** What the gateway promises as a process with a configuration. */
export const GATEWAY_PROCESS = {
  'gateway-process:serves': {
    source: 'docs/gateway.md',
    behavior: 'With a configuration and a key, a request reaches its provider and is answered.',
  },
  'gateway-process:no-file': {
    source: 'docs/gateway-config.md',
    behavior: 'Without a file it asks the providers whose variables are set.',
  },
  'gateway-process:precedence': {
    source: 'docs/gateway-config.md',
    behavior: 'A flag goes before a variable, that before the file, and that before a default.',
  },
  'gateway-process:bad-config': {
    source: 'docs/gateway-config.md',
    behavior:
      'A configuration that is missing, broken or misspelt is reported with its place, and exit code 1.',
  },
  'gateway-process:database': {
    source: 'docs/troubleshooting.md#gateway',
    behavior: 'A database that cannot be used is one sentence and exit code 1.',
  },
  'gateway-process:port-in-use': {
    source: 'docs/troubleshooting.md#starting-an-executable',
    behavior: 'A port in use is one sentence that names it, and exit code 1.',
  },
  'gateway-process:open-address': {
    source: 'docs/gateway-config.md#server',
    behavior: 'It refuses other addresses than loopback without a master key, without --insecure.',
  },
  'gateway-process:secrets': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior: 'No key of a provider and no master key is in any log line, error or answer.',
  },
  'gateway-process:master-key': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior: 'A short master key, and one on the command line, is warned of; a file can hold it.',
  },
  'gateway-process:bootstrap': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior: 'A first key is made and printed once, on stdout, if there is none.',
  },
  'gateway-process:reload-signal': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior: 'SIGHUP reads the file again; a stream that runs goes on to its end with what it began with.',
  },
  'gateway-process:reload-file': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior: 'A changed file is read again by itself; what needs a new start is named.',
  },
  'gateway-process:reload-broken': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior: 'A broken file changes nothing, and the log and the reload report the problem.',
  },
  'gateway-process:stop': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior: 'SIGTERM lets streams come to their end, refuses what comes, and exits with 0.',
  },
  'gateway-process:stop-unread': {
    source: 'docs/serve.md#stopping',
    behavior:
      'SIGTERM: requests that the system has taken are answered, also on connections that wait to be accepted, and after --shutdown-delay.',
  },
  'gateway-process:stop-twice': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior: 'A second SIGTERM ends it immediately.',
  },
  'gateway-process:shutdown-time': {
    source: 'docs/gateway-config.md#server',
    behavior: 'A stream that does not end in time is cut off, billed, and the exit code is 0.',
  },
  'gateway-process:two-on-one-file': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior: 'Two gateways on one SQLite file both serve, and know each other’s keys.',
  },
  'gateway-process:registry': {
    source: 'docs/gateway.md#providers-and-aliases',
    behavior:
      'Killed at any moment: a provider or an alias that was answered is served by all gateways, and none is there in part.',
  },
  'gateway-process:encoders': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior:
      'A reload leaves encoders alone that did not change, and no encoder outlives a gateway, however it ends.',
  },
  'gateway-process:traces': {
    source: 'docs/telemetry.md',
    behavior: 'The trace of a request goes on in the encoders that the gateway started.',
  },
  'gateway-process:workers': {
    source: 'docs/gateway-config.md#workflows',
    behavior: 'A job runs in a process of the executable that serves, and that ends with its gateway.',
  },
  'gateway-process:workers-tls': {
    source: 'docs/gateway-config.md#workflows',
    behavior: 'Workers reach a gateway that speaks TLS, also with a certificate of a private authority.',
  },
  'gateway-process:ranges': {
    source: 'docs/gateway-config.md#workflows',
    behavior:
      'Several workers share the rows of a job; when one is killed, the others write its rows, each once and in order.',
  },
  'gateway-process:job-files': {
    source: 'docs/gateway-config.md#executables-on-nodes',
    behavior:
      'A worker on a cluster gets the gateway and the encoder of its job by their SHA-256, whole or in parts, with its token only, and not another version.',
  },
  'gateway-process:config-commands': {
    source: 'docs/gateway-config.md',
    behavior:
      '`config check` reports problems or the resulting configuration, `config schema` prints its JSON Schema.',
  },
} as const satisfies Behaviors;
