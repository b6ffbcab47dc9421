import type { Behaviors } from './behavior.ts';

/** What mcp-manager promises as a process that runs others. */
export const MANAGER_PROCESS = {
  'daemon:degraded': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior: 'It serves immediately, whatever its servers do; one that cannot start is unreachable.',
  },
  'daemon:unset-variable': {
    source: 'docs/mcp-manager-config.md#secrets',
    behavior:
      'A variable that is not set keeps only the server from starting that needs it; its calls are 503 with the reason.',
  },
  'daemon:kill-child': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'A server killed under load is back in seconds, each call gets an answer, and other servers notice nothing.',
  },
  'daemon:reload-under-load': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior: 'However often the configuration is reloaded under load, no call is lost.',
  },
  'daemon:reload-file': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior: 'A changed file is read again by itself; only servers that changed are restarted.',
  },
  'daemon:reload-signal': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior: 'SIGHUP reads the files again.',
  },
  'daemon:reload-broken': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior: 'A broken file changes nothing: all servers run on, and the reload reports the problem.',
  },
  'daemon:stop': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'SIGTERM answers what was accepted, ends all servers and what they started, even in sessions of their own, and exits with 0.',
  },
  'daemon:left-behind': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'After a manager and its guard were killed, the next one with the same configuration ends what they left, and nothing else.',
  },
  'daemon:limits': {
    source: 'docs/mcp-manager-config.md#limits',
    behavior:
      'A server that needs more than limits.memory is killed, and its callers read why; where there can be no limits, a server that requires them does not start.',
  },
  'daemon:stop-unread': {
    source: 'docs/serve.md#stopping',
    behavior:
      'SIGTERM: requests that the system has taken are answered, also on connections that wait to be accepted, and after --shutdown-delay.',
  },
  'daemon:port-in-use': {
    source: 'docs/troubleshooting.md#starting-an-executable',
    behavior: 'A port in use is one sentence that names it, and exit code 1.',
  },
  'daemon:open-address': {
    source: 'docs/mcp-manager.md#access',
    behavior: 'It refuses other addresses than loopback without keys, without --insecure.',
  },
  'daemon:bad-config': {
    source: 'docs/mcp-manager-config.md',
    behavior:
      'A configuration that is missing, broken or of wrong values is one sentence each and exit code 1.',
  },
  'daemon:isolation': {
    source: 'docs/mcp-manager-config.md#secrets',
    behavior: 'A server sees its own environment and neither the variables of others nor our own.',
  },
  'daemon:secrets': {
    source: 'docs/mcp-manager-config.md#secrets',
    behavior: 'No secret is in any log line, error or audit line.',
  },
  'daemon:settings-stay': {
    source: 'docs/mcp-manager-config.md#secrets',
    behavior:
      'Settings in the secrets file stay in logs and errors; a short secret is hidden where a text marks it as a secret.',
  },
  'daemon:audit': {
    source: 'docs/mcp-manager.md#audit-log',
    behavior: 'Each call is a line of JSON in the audit log, its arguments as a hash.',
  },
  'daemon:keys': {
    source: 'docs/mcp-manager.md#access',
    behavior: 'With keys, callers need one; it opens only the servers and tools it is for, so many times.',
  },
  'daemon:stderr': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'A server that floods stderr goes on working, and its last lines can be read; the log of the manager has a part of them.',
  },
  'daemon:log-rotation': {
    source: 'docs/mcp-manager.md#monitoring',
    behavior: 'A log file is rotated before it exceeds --log-max-size; --log-keep old ones stay.',
  },
  'daemon:sign-in': {
    source: 'docs/mcp-manager.md#access',
    behavior:
      'A remote server that requires a sign-in is reported; after login its calls work without a restart, and logout ends that. No token is in logs or readable files.',
  },
  'daemon:sign-in:per-user': {
    source: 'docs/mcp-manager.md#sign-in-of-each-user',
    behavior:
      'With `sign_in = "per_user"`, each key has a sign-in of its own: `login` at the manager, calls with the own token only, the way to sign in without one, and `logout`.',
  },
  'daemon:access-tokens': {
    source: 'docs/mcp-manager.md#access',
    behavior:
      'Access tokens of the configured issuer are accepted in addition to keys, for the servers of their scopes only; other tokens get 401 with the way to a valid one.',
  },
} as const satisfies Behaviors;
