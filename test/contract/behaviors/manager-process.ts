import type { Behaviors } from './behavior.ts';

/** Documented behavior of mcp-manager as a process that runs others. */
export const MANAGER_PROCESS = {
  'daemon:degraded': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'The manager accepts requests immediately, regardless of the state of its servers; a server that cannot start is reported as unreachable.',
  },
  'daemon:unset-variable': {
    source: 'docs/mcp-manager-config.md#secrets',
    behavior:
      'An unset variable prevents only the server that needs it from starting; calls to that server return 503 with the reason.',
  },
  'daemon:openapi': {
    source: 'docs/mcp-manager.md#rest-apis',
    behavior:
      'The operations of a REST API are tools: calls send the configured credentials, `read_only` applies, and operations that cannot be converted are reported.',
  },
  'daemon:kill-child': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'A server that is killed under load is restarted within seconds, each call gets a response, and other servers are not affected.',
  },
  'daemon:reload-under-load': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior: 'No calls are lost, however often the configuration is reloaded under load.',
  },
  'daemon:reload-file': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'A changed configuration file is reloaded automatically, and only servers with changed settings are restarted.',
  },
  'daemon:reload-signal': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior: 'On SIGHUP, the manager reloads its configuration files.',
  },
  'daemon:reload-broken': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'If a configuration file is invalid, all servers keep running, and the reload reports the problem.',
  },
  'daemon:stop': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'On SIGTERM, the manager completes accepted requests, stops all servers and their child processes, even those in separate sessions, and exits with code 0.',
  },
  'daemon:left-behind': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      'After a manager and its guard are killed, the next manager with the same configuration terminates the processes that they left behind, and no others.',
  },
  'daemon:limits': {
    source: 'docs/mcp-manager-config.md#limits',
    behavior:
      'A server that exceeds limits.memory is killed, and its callers receive the reason; where limits are not available, a server that requires them does not start.',
  },
  'daemon:stop-unread': {
    source: 'docs/serve.md#stopping',
    behavior:
      'On SIGTERM, the manager still serves requests that the operating system has already received, even on connections that are not accepted yet, and even after --shutdown-delay.',
  },
  'daemon:port-in-use': {
    source: 'docs/troubleshooting.md#starting-an-executable',
    behavior: 'A port in use causes a one-sentence error that names the port, and exit code 1.',
  },
  'daemon:open-address': {
    source: 'docs/mcp-manager.md#access',
    behavior: 'Without keys, the manager does not listen on non-loopback addresses unless --insecure is set.',
  },
  'daemon:bad-config': {
    source: 'docs/mcp-manager-config.md',
    behavior:
      'A missing, malformed or invalid configuration causes an error with one sentence per problem, and exit code 1.',
  },
  'daemon:isolation': {
    source: 'docs/mcp-manager-config.md#secrets',
    behavior:
      "A server receives its own environment variables, but neither those of other servers nor the manager's own.",
  },
  'daemon:secrets': {
    source: 'docs/mcp-manager-config.md#secrets',
    behavior: 'Log lines, errors and audit entries never contain secrets.',
  },
  'daemon:settings-stay': {
    source: 'docs/mcp-manager-config.md#secrets',
    behavior:
      'Settings in the secrets file remain visible in logs and errors; a short secret is redacted only where the text identifies it as a secret.',
  },
  'daemon:audit': {
    source: 'docs/mcp-manager.md#audit-log',
    behavior: 'Each call is recorded in the audit log as a JSON line with a hash of its arguments.',
  },
  'daemon:lazy-lists': {
    source: 'docs/mcp-manager.md#lazy-servers',
    behavior:
      'The lists of a lazy server that has been started before do not start it, also after a restart of the manager; a call starts it.',
  },
  'daemon:long-results': {
    source: 'docs/mcp-manager.md#long-results',
    behavior:
      'With --result-limit, MCP clients get a shortened result, and only the session that received it can read the rest.',
  },
  'daemon:code-mode-plugins': {
    source: 'docs/mcp-manager-plugins.md#scripts',
    behavior:
      'Plugins inspect the calls of scripts in code mode, and a call that they reject is an error of the script.',
  },
  'daemon:search-encoder': {
    source: 'docs/mcp-manager.md#search-by-meaning',
    behavior:
      'With --search-encoder or [daemon.search] encoder, searches find tools by meaning, with vectors that are kept for the next start; if the encoder fails, searches use words.',
  },
  'daemon:keys': {
    source: 'docs/mcp-manager.md#access',
    behavior:
      'If keys are configured, callers must send one; a key grants access only to its own servers and tools, up to its rate limit.',
  },
  'daemon:stderr': {
    source: 'docs/mcp-manager.md#running-servers',
    behavior:
      "A server that floods stderr keeps working, and its last lines remain available; the manager's log contains only some of the lines.",
  },
  'daemon:log-rotation': {
    source: 'docs/mcp-manager.md#monitoring',
    behavior:
      'A log file is rotated before it exceeds --log-max-size; --log-keep sets the number of old files to keep.',
  },
  'daemon:sign-in': {
    source: 'docs/mcp-manager.md#access',
    behavior:
      'A remote server that requires a sign-in is reported; calls to it work after `login` without a restart, until `logout`. Logs and readable files never contain tokens.',
  },
  'daemon:sign-in:per-user': {
    source: 'docs/mcp-manager.md#per-user-sign-in',
    behavior:
      'With `sign_in = "per_user"`, each key has its own sign-in: `login` signs in through the manager, calls use only the token of their own key, calls without a token return sign-in instructions, and `logout` signs out.',
  },
  'daemon:user-secrets': {
    source: 'docs/mcp-manager.md#secrets-of-users',
    behavior:
      'A server with `${user.secret.NAME}` runs in a process of each key, with the secret that the owner of the key has set by `secret set` or by the link in the error. A call without the secret returns the link and the command. The processes of a revoked key end and its secrets are deleted. Logs and files never contain the secrets.',
  },
  'daemon:user-secrets:files': {
    source: 'docs/mcp-manager-cli.md#secrets-of-users',
    behavior:
      '`secret set --key` changes the files of a key’s owner while a manager runs, which uses the new value for the next call. `secret list` shows which secrets are set, and `secret remove` and `secret clear` remove them. Empty values, unknown keys and conflicting flags are errors.',
  },
  'stdio:user-secrets': {
    source: 'docs/mcp-manager-cli.md#secrets-of-users',
    behavior: 'Without a running manager, `stdio` uses the secrets that `secret set --local` has set.',
  },
  'daemon:access-tokens': {
    source: 'docs/mcp-manager.md#access',
    behavior:
      'In addition to keys, access tokens from the configured issuer are accepted for the servers in their scopes; other tokens get 401 with instructions for obtaining a valid token.',
  },
} as const satisfies Behaviors;
