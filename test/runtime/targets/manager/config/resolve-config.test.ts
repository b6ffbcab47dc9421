import { expect, test } from 'vitest';
import { problemsOf, processOf, remoteOf, resolve } from './resolve.ts';

/** The files of the reference. */
const SERVERS = `
[[servers]]
name = "time"
package = "uvx::mcp-server-time@2025.8.4"
tools = ["get_current_time"]
required_env = ["API_KEY"]
required_args_positional = ["dir"]
required_args = ["--local-timezone"]
required_args_bool = ["--verbose"]

[[servers]]
name = "box"
package = "docker::mcp/box@1.0"
tools = ["*"]
[servers.volumes.workspace]
path = "/workspace"
required = true

[daemon.api]
addr = "0.0.0.0:8090"
[daemon.api.timeout]
shutdown = "7s"
[daemon.api.cors]
enable = true
allow_origins = ["https://app.example"]
allow_credentials = true
max_age = "1m"
[daemon.mcp.timeout]
init = "1m30s"
health = 4
[daemon.mcp.interval]
health = "20s"

[plugins]
dir = "/etc/mcpd/plugins"
[[plugins.audit]]
name = "log"
flows = ["request", "response"]
`;
const SECRETS = `
[servers.time]
args = ["--local-timezone=\${ZONE}", "--verbose", "/dir"]
[servers.time.env]
API_KEY = "\${MCPD__TIME__API_KEY}"
[servers.box.env]
K = "v"
[servers.box.volumes]
workspace = "\${HOME}/repos"
`;
const ENV = {
  PATH: '/bin',
  HOME: '/h',
  ZONE: 'Europe/Berlin',
  MCPD__TIME__API_KEY: 'key-1',
  MCPD__BOX__X: 'box',
};

test('every setting in the reference files is read', () => {
  const { servers, daemon, warnings } = resolve({ servers: SERVERS, secrets: SECRETS, env: ENV });
  const [time, box] = servers;
  expect(time).toEqual({
    name: 'time',
    launch: {
      kind: 'process',
      command: 'uvx',
      args: ['mcp-server-time@2025.8.4', '--local-timezone=Europe/Berlin', '--verbose', '/dir'],
      env: { PATH: '/bin', HOME: '/h', MCPD__TIME__API_KEY: 'key-1', API_KEY: 'key-1' },
      installation: {
        label: 'uvx::mcp-server-time@2025.8.4',
        command: { command: 'uvx', args: ['--from', 'mcp-server-time@2025.8.4', 'python', '-c', ''] },
        uvx: true,
        isExact: true,
      },
    },
    tools: { allow: ['get_current_time'], deny: [] },
    prompts: { allow: ['*'], deny: [] },
    resources: { allow: ['*'], deny: [] },
    readOnly: false,
    lazy: false,
    idleMs: 300_000,
    timeouts: { install: 600_000, init: 90_000, request: 15_000, shutdown: 5000 },
    concurrency: 64,
    queue: 256,
    toolOverrides: {},
    approvals: [],
  });
  expect(processOf(box)).toMatchObject({
    command: 'docker',
    container: 'mcp-manager-box',
    args: [
      'run',
      '-i',
      '--rm',
      '--network',
      'host',
      '--volume',
      '/h/repos:/workspace',
      '-e',
      'K',
      'mcp/box:1.0',
    ],
  });
  expect(daemon).toEqual({
    addr: '0.0.0.0:8090',
    shutdownMs: 7000,
    healthMs: 4000,
    healthIntervalMs: 20_000,
    cors: {
      origins: ['https://app.example'],
      methods: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
      // Settings of the mcpd service, and ones that clients of our other endpoints require.
      headers: [
        'Accept',
        'Accept-Language',
        'Content-Language',
        'Content-Type',
        'Range',
        'Authorization',
        'Mcp-Session-Id',
        'Mcp-Protocol-Version',
        'Mcp-Method',
        'Mcp-Name',
        'Last-Event-ID',
      ],
      exposedHeaders: [],
      credentials: true,
      maxAgeSeconds: 60,
    },
  });
  expect(warnings).toEqual([]);
});

test('documented defaults apply without a [daemon] section', () => {
  expect(resolve({ servers: 'servers = []' }).daemon).toEqual({
    addr: '127.0.0.1:8090',
    shutdownMs: 5000,
    healthMs: 3000,
    healthIntervalMs: 10_000,
    cors: undefined,
  });
});

test('a server can be a program with a folder or a remote URL', () => {
  const { servers, secrets } = resolve({
    servers: `
[[servers]]
name = "own"
command = "\${HOME}/bin/server"
args = ["a", "$$x"]
cwd = "$HOME"
env = { MODE = "fast" }
tools = ["get_*"]
deny_tools = ["get_secret"]
prompts = []
resources = ["file:///*"]
deny_resources = ["*.key"]
read_only = true
lazy = true
idle_timeout = "1m"
timeout_init = 1
timeout_request = "2s"
timeout_shutdown = "500ms"
concurrency = 2
queue = 0
limits = { memory = "1.5 GiB", cpus = 0.5, processes = 9 }

[[servers]]
name = "far"
url = "https://mcp.example/mcp?key=$KEY"
transport = "sse"
headers = { "X-Team" = "blue" }
tools = ["*"]
[servers.oauth]
client_id = "us"
scope = "read"
token_url = "https://id.example/token"

[[servers]]
name = "off"
enabled = false
command = "$NOT_SET"
tools = ["*"]
`,
    secrets: `
[servers.far.headers]
Authorization = "Bearer $TOKEN"
[servers.far.oauth]
client_secret = "$OAUTH"
`,
    env: { HOME: '/h', KEY: 'key-1', TOKEN: 'token-1', OAUTH: 'oauth-1' },
  });
  expect(servers.map(({ name }) => name)).toEqual(['own', 'far']);
  expect(servers[0]).toMatchObject({
    launch: {
      command: '/h/bin/server',
      args: ['a', '$x'],
      cwd: '/h',
      env: { HOME: '/h', MODE: 'fast' },
      limits: { memory: 1.5 * 2 ** 30, cpus: 0.5, processes: 9, required: false },
    },
    tools: { allow: ['get_*'], deny: ['get_secret'] },
    prompts: { allow: [], deny: [] },
    resources: { allow: ['file:///*'], deny: ['*.key'] },
    readOnly: true,
    lazy: true,
    idleMs: 60_000,
    concurrency: 2,
    queue: 0,
    timeouts: { init: 1000, request: 2000, shutdown: 500 },
  });
  expect(remoteOf(servers[1])).toEqual({
    kind: 'remote',
    transport: 'sse',
    url: 'https://mcp.example/mcp?key=key-1',
    headers: { 'X-Team': 'blue', Authorization: 'Bearer token-1' },
    oauth: {
      grant: 'client_credentials',
      clientId: 'us',
      clientSecret: 'oauth-1',
      scope: 'read',
      tokenUrl: 'https://id.example/token',
    },
  });
  expect(secrets).toEqual(
    ['Bearer token-1', 'token-1', 'oauth-1', 'key-1'].map((value) => ({
      value,
      isNamed: true,
      owner: 'far',
    })),
  );
});

test('names are case-insensitive in both files', () => {
  const { servers } = resolve({
    servers: '[[servers]]\nname = " Time "\ncommand = "x"\ntools = ["*"]\n',
    secrets: '[servers.TIME.env]\nA = "1"\n',
  });
  expect(servers[0]).toMatchObject({ name: 'time', launch: { env: { A: '1' } } });
  const twice = ['Time', 'time'].map(
    (name) => `[[servers]]\nname = "${name}"\ncommand = "x"\ntools = ["*"]\n`,
  );
  expect(problemsOf({ servers: twice.join('') })).toEqual([
    '.mcpd.toml:6: duplicate server name "time"; case is ignored. Rename one of the servers.',
  ]);
});
