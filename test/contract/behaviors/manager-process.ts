import type { Behaviors } from './behavior.ts';

/** What mcp-manager promises as a process that runs others. */
export const MANAGER_PROCESS = {
  'daemon:degraded': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'It serves immediately, whatever the state of its servers; one that cannot start is reported as unreachable.',
  },
  'daemon:unset-variable': {
    source: 'docs/mcp-manager-config.md#secrets',
    behavior:
      'An unset variable only prevents the server that needs it from starting; calls to it return 503 with the reason.',
  },
  'daemon:kill-child': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'A server killed under load is back within seconds, each call gets a response, and other servers are not affected.',
  },
  'daemon:reload-under-load': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior: 'No call is lost, however often the configuration is reloaded under load.',
  },
  'daemon:reload-file': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior: 'A changed file is reloaded automatically; only servers that changed are restarted.',
  },
  'daemon:reload-signal': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior: 'SIGHUP reloads the files.',
  },
  'daemon:reload-broken': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'An invalid file changes nothing: all servers keep running, and the reload reports the problem.',
  },
  'daemon:stop': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'SIGTERM completes accepted requests, ends all servers and their child processes, even in separate sessions, and exits with 0.',
  },
  'daemon:left-behind': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'After a manager and its guard are killed, the next one with the same configuration ends the processes they left, and no others.',
  },
  'daemon:limits': {
    source: 'docs/mcp-manager-config.md#limits',
    behavior:
      'A server that exceeds limits.memory is killed, and its callers get the reason; where limits are not available, a server that requires them does not start.',
  },
  'daemon:stop-unread': {
    source: 'docs/serve.md#stopping',
    behavior:
      'On SIGTERM, requests that the system has already received are still served, including on connections not yet accepted, and after --shutdown-delay.',
  },
  'daemon:port-in-use': {
    source: 'docs/troubleshooting.md#starting-an-executable',
    behavior: 'A port in use causes a one-sentence error that names it, and exit code 1.',
  },
  'daemon:open-address': {
    source: 'docs/mcp-manager.md#access',
    behavior: 'Without keys, it does not listen on non-loopback addresses unless --insecure is set.',
  },
  'daemon:bad-config': {
    source: 'docs/mcp-manager-config.md',
    behavior:
      'A missing, malformed or invalid configuration causes one sentence per problem and exit code 1.',
  },
  'daemon:isolation': {
    source: 'docs/mcp-manager-config.md#secrets',
    behavior:
      "A server sees its own environment, but neither the variables of other servers nor the manager's own.",
  },
  'daemon:secrets': {
    source: 'docs/mcp-manager-config.md#secrets',
    behavior: 'No log line, error or audit line contains a secret.',
  },
  'daemon:settings-stay': {
    source: 'docs/mcp-manager-config.md#secrets',
    behavior:
      'Settings in the secrets file stay visible in logs and errors; a short secret is only hidden where the text marks it as one.',
  },
  'daemon:audit': {
    source: 'docs/mcp-manager.md#audit-log',
    behavior: 'Each call is logged in the audit log as a JSON line with a hash of its arguments.',
  },
  'daemon:keys': {
    source: 'docs/mcp-manager.md#access',
    behavior:
      'If keys are configured, callers need one; a key allows only its own servers and tools, up to its rate limit.',
  },
  'daemon:stderr': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      "A server that floods stderr keeps working, and its last lines can be read; the manager's log contains only some of them.",
  },
  'daemon:log-rotation': {
    source: 'docs/mcp-manager.md#monitoring',
    behavior:
      'A log file is rotated before it exceeds --log-max-size; --log-keep sets how many old ones are kept.',
  },
  'daemon:sign-in': {
    source: 'docs/mcp-manager.md#access',
    behavior:
      'A remote server that requires a sign-in is reported; after login its calls work without a restart, until logout. No log or readable file contains a token.',
  },
  'daemon:sign-in:per-user': {
    source: 'docs/mcp-manager.md#sign-in-of-each-user',
    behavior:
      'With `sign_in = "per_user"`, each key has its own sign-in: `login` at the manager, calls only with its own token, instructions to sign in without one, and `logout`.',
  },
  'daemon:access-tokens': {
    source: 'docs/mcp-manager.md#access',
    behavior:
      'Access tokens from the configured issuer are accepted in addition to keys, only for the servers in their scopes; other tokens get 401 with instructions for getting a valid one.',
  },
} as const satisfies Behaviors;
