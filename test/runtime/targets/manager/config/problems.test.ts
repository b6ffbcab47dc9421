import { expect, test } from 'vitest';
import { problemsOf, resolve } from './resolve.ts';

const server = (rest: string): string => `[[servers]]\nname = "a"\n${rest}`;
const COMMAND = 'command = "x"\ntools = ["*"]\n';

test.each([
  ['a = \n', '.mcpd.toml:1: invalid TOML: '],
  ['', '.mcpd.toml: the file is empty. To configure no servers, write servers = [].'],
  [' \n\n', '.mcpd.toml: the file is empty.'],
  [
    'servers = 1',
    '.mcpd.toml:1: servers must be a list. Start each server with [[servers]], in double brackets.',
  ],
  ['[servers]\nname = "a"\n', '.mcpd.toml:1: servers must be a list'],
  ['servers = [1]', '.mcpd.toml:1: a server must be a table, not 1.'],
  ['# x\n\n[[servers]]\ncommand = "x"\ntools = ["*"]\n', '.mcpd.toml:3: server 1: name is missing.'],
  [
    server('command = "x"\n'),
    '.mcpd.toml:1: server "a": tools is missing. List the allowed tools, or allow all with tools = ["*"].',
  ],
  [
    server('tools = ["*"]\n'),
    '.mcpd.toml:1: server "a": a server requires exactly one of package, command, url and openapi; it has none of them.',
  ],
  [
    server(`${COMMAND}url = "https://x.example"\n`),
    '.mcpd.toml:5: server "a": a server requires exactly one of package, command, url and openapi; it has command and url.',
  ],
  [
    server(`${COMMAND}comand = "y"\n`),
    '.mcpd.toml:5: server "a": unknown key "comand". Did you mean command?',
  ],
  [
    server(`${COMMAND}zzzzzz = 1\n`),
    '.mcpd.toml:5: server "a": unknown key "zzzzzz". Known keys: name, package, ',
  ],
  [
    server(`${COMMAND}headers = { A = "b" }\n`),
    '.mcpd.toml:5: server "a": headers conflicts with command; it requires url.',
  ],
  [
    server('url = "https://x.example"\ntools = ["*"]\nargs = ["x"]\n'),
    '.mcpd.toml:5: server "a": args conflicts with url; it requires package or command.',
  ],
  [
    server(`${COMMAND}args = "x y"\n`),
    '.mcpd.toml:5: server "a": args must be a list of strings, not a string.',
  ],
  [
    server(`${COMMAND}args = ["x", 1]\n`),
    '.mcpd.toml:5: server "a": args must be a list of strings, not a list with other values.',
  ],
  [
    server(`${COMMAND}[servers.env]\nPORT = 8080\n`),
    '.mcpd.toml:5: server "a": env must be a table of strings, e.g. { NAME = "value" }, not a table with other values.',
  ],
  [
    server(`${COMMAND}concurrency = 0\n`),
    '.mcpd.toml:5: server "a": concurrency must be a whole number of at least 1, not 0.',
  ],
  [server(`${COMMAND}lazy = "yes"\n`), '.mcpd.toml:5: server "a": lazy must be true or false, not "yes".'],
  [
    server(`${COMMAND}timeout_init = "soon"\n`),
    '.mcpd.toml:5: server "a": timeout_init must be a positive duration: seconds such as 15',
  ],
  [
    server(`${COMMAND}idle_timeout = 2020-01-01\n`),
    '.mcpd.toml:5: server "a": idle_timeout must be a positive duration',
  ],
  [
    server(`${COMMAND}[servers.limits]\nmemory = 512\n`),
    '.mcpd.toml:6: server "a": limits: memory must be a size with a unit such as "512MiB" or "1.5GB", not 512.',
  ],
  [
    server(`${COMMAND}[servers.limits]\ncpus = 0\n`),
    '.mcpd.toml:6: server "a": limits: cpus must be a positive number, not 0.',
  ],
  [
    server('url = "https://a.example"\ntools = ["*"]\nlimits = { cpus = 1 }\n'),
    'server "a": limits conflicts with url; it requires package or command.',
  ],
  [
    server(`${COMMAND}[servers.volumes.w]\npath = "/w"\n`),
    '.mcpd.toml:5: server "a": volumes require a docker package',
  ],
  [
    server('url = "ftp://x"\ntools = ["*"]\n'),
    '.mcpd.toml:3: server "a": url must start with http:// or https://',
  ],
  [
    server('url = "https://x.example"\ntools = ["*"]\n[servers.headers]\n"bad name" = "x"\n'),
    '.mcpd.toml:6: server "a": invalid header "bad name".',
  ],
  [
    server('url = "https://x.example"\ntools = ["*"]\n[servers.oauth]\nclient_secret = "x"\n'),
    '.mcpd.toml:5: server "a": oauth requires client_id. Set it here or in the secrets file.',
  ],
  [
    server('url = "https://x.example"\ntools = ["*"]\n[servers.oauth]\ngrant = "password"\n'),
    '.mcpd.toml:5: server "a": oauth: grant must be one of authorization_code, client_credentials, token_exchange, cross_app_access, signed_identity, not "password".',
  ],
  [
    server(
      'url = "https://x.example"\ntools = ["*"]\n[servers.oauth]\ntoken_url = "https://x.example/token"\n',
    ),
    '.mcpd.toml:5: server "a": oauth: token_url requires grant = "client_credentials" or "token_exchange".',
  ],
  [
    server(
      'url = "https://x.example"\ntools = ["*"]\n[servers.oauth]\nredirect_uri = "https://x.example/callback"\n',
    ),
    '.mcpd.toml:5: server "a": oauth: redirect_uri must be a loopback URL with a port, e.g. "http://127.0.0.1:8976/callback".',
  ],
  [
    server('url = "https://x.example"\ntools = ["*"]\npass_headers = ["X-Tenant", "Authorization"]\n'),
    '.mcpd.toml:5: server "a": pass_headers cannot contain "authorization": it belongs to the connection between the client and the manager. Remove it.',
  ],
  [
    '[daemon.api.oauth]\nissuer = "http://id.example"\nresource = "https://mcp.example"\n',
    '.mcpd.toml:2: [daemon.api.oauth]: issuer must be an https:// URL without a query, or an http:// URL on this machine, not "http://id.example".',
  ],
  [
    '[daemon.api.oauth]\nresource = "https://mcp.example"\nalgorithms = ["HS256"]\nissuer = "https://id.example"\n',
    '.mcpd.toml:3: [daemon.api.oauth]: algorithms must only contain RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519.',
  ],
  [server(`${COMMAND}args = ["a\\u0000b"]\n`), '.mcpd.toml:5: server "a": args must be a list of strings'],
  ['[daemon]\napi = 1\n', '.mcpd.toml:2: [daemon]: api must be a table, not 1.'],
  ['[daemon.api]\nadr = "x"\n', '.mcpd.toml:2: [daemon.api]: unknown key "adr". Did you mean addr?'],
  [
    '[daemon.api]\naddr = "localhost"\n',
    '.mcpd.toml:2: [daemon.api]: addr must be <host>:<port>, e.g. "127.0.0.1:8090", not "localhost".',
  ],
  ['[daemon.api]\naddr = "a:70000"\n', '.mcpd.toml:2: [daemon.api]: addr must be <host>:<port>'],
  [
    '[daemon.mcp.timeout]\nhealth = 0\n',
    '.mcpd.toml:2: [daemon.mcp.timeout]: health must be a positive duration',
  ],
  [
    '[daemon.search]\nencoder = "ftp://x"\n',
    '.mcpd.toml:2: [daemon.search]: encoder must be the path of an .encoder file, or an http:// or https:// URL without a user, a query or a fragment, not "ftp://x".',
  ],
  ['[daemon.api.cors]\nenable = true\n', '.mcpd.toml:2: [daemon.api.cors]: enable requires allow_origins'],
])('%j is reported with its line', (servers, message) => {
  const problems = problemsOf({ servers });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(message);
});

test.each([
  ['[servers.a]\nargz = []\n', 'secrets.toml:2: [servers.a]: unknown key "argz". Did you mean args?'],
  ['[server.a]\n', 'secrets.toml:1: unknown key "server". Did you mean servers?'],
  ['[servers.a.env]\nA = 1\n', 'secrets.toml:1: [servers.a]: env must be a table of strings'],
  ['[servers.a]\n[servers.A]\n', 'secrets.toml:2: duplicate server "a"'],
  [
    '[servers.a.volumes]\nw = "/w"\n',
    'secrets.toml:2: server "a" has no volume "w". Add [servers.volumes.w]',
  ],
  [
    '[servers.a]\nurl = "https://x.example"\n',
    'secrets.toml:2: server "a": url requires a server with url. Remove it.',
  ],
  ['[servers.a.env]\n"A=B" = "x"\n', 'secrets.toml:2: server "a": invalid variable name "A=B"'],
  ['x', 'secrets.toml:1: invalid TOML'],
])('a problem in the secrets file is reported: %j', (secrets, message) => {
  const problems = problemsOf({ servers: server(COMMAND), secrets });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(message);
});

test('a missing value is reported with the command that sets it', () => {
  const servers = `${server('package = "docker::x@1"\ntools = ["*"]\n')}required_env = ["K"]
required_args = ["--config"]
[servers.volumes.w]
path = "/w"
required = true
`;
  expect(problemsOf({ servers, secrets: '[servers.a.env]\nK = ""\n' })).toEqual([
    '.mcpd.toml:1: server "a" requires the argument --config. Set all arguments with `mcp-manager config args set a -- <arguments>`.',
    '.mcpd.toml:5: server "a" requires the variable K. Set it with `mcp-manager config env set a K=<value>`.',
    'secrets.toml:1: server "a" requires a folder for volume "w". Set it with `mcp-manager config volumes set a w=<folder>`.',
  ]);
});

test('all problems in both files are reported together, in the order of their lines', () => {
  const servers = `${server('command = "x"\nlazy = 1\ntools = [1]\nreadonly = true\n')}[daemon.api]\naddr = "x"\n`;
  expect(
    problemsOf({ servers, secrets: '[servers.a]\nargs = 1\n' }).map((problem) => problem.split(': ')[0]),
  ).toEqual(['.mcpd.toml:4', '.mcpd.toml:5', '.mcpd.toml:6', '.mcpd.toml:8', 'secrets.toml:2']);
  expect(() => resolve({ servers })).toThrow(/^The configuration has 4 problems\.\n {2}\.mcpd\.toml:4: /);
});

test('line numbers are correct after strings and lists that look like other syntax', () => {
  const servers = `# [[servers]] name = "x"
[[servers]]
name = "a"
command = """
[[servers]]
name = "b" # not one
"""
args = [ # [
  "]", '[[servers]]', "\\"",
]
"tools" = ["*"]
"la\\u007Ay" = 1
env = { A = "}", B = "#" }
[servers.env2]
x = 1
`;
  expect(problemsOf({ servers })).toEqual([
    expect.stringContaining('.mcpd.toml:12: server "a": lazy must be true or false, not 1.'),
    expect.stringContaining('.mcpd.toml:14: server "a": unknown key "env2". Did you mean env?'),
  ]);
});

test('CRLF and a final comment without a line break are valid', () => {
  const servers = `${server(COMMAND)}# end`.replaceAll('\n', '\r\n');
  expect(resolve({ servers }).servers).toHaveLength(1);
});

test('an error message never contains a possible secret', () => {
  const remote = server('url = "ftp://me:hush@x"\ntools = ["*"]\nheaders = "hush"\n');
  const secrets = '[servers.a]\nurl = "hush"\nenv = "hush"\nargs = "hush"\n';
  const told = [
    ...problemsOf({ servers: remote }),
    ...problemsOf({ servers: server('url = "https://x"\ntools = ["*"]\n'), secrets }),
    ...problemsOf({
      servers: server('url = "https://x"\ntools = ["*"]\n'),
      secrets: '[servers.a]\nurl = "${U}"\n',
      env: { U: 'hush' },
    }),
  ];
  expect(told.length).toBeGreaterThan(4);
  expect(told.join('\n')).not.toContain('hush');
});
