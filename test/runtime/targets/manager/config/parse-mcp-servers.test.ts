import { expect, test } from 'vitest';
import { problemsOf, processOf, remoteOf, resolve } from './resolve.ts';

const FILE = `{
  // as desktop clients write it
  "mcpServers": {
    "fs": {
      "command": "npx",
      "args": ["-y", "server", "https://x/*not a comment*/", "pa$$w$ord"],
      "env": { "KEY": "\${env:WORD}", "RAW": "a$b" }, /* and editors */
      "autoApprove": ["read"],
      "weird": 1,
    },
    "Far": { "type": "streamable-http", "url": "https://x.example/mcp", "headers": { "Authorization": "Bearer abcd" } },
    "old": { "type": "sse", "url": "https://x.example/sse", "tools": ["a"], "lazy": true },
    "off": { "command": "x", "disabled": true, "type": "stdio" },
  },
}`;

test('reads servers of desktop clients and editors, with comments', () => {
  const { servers, warnings, secrets } = resolve({ servers: FILE, file: 'c.json', env: { WORD: 'value' } });
  expect(servers.map(({ name, tools }) => [name, tools.allow])).toEqual([
    ['fs', ['*']],
    ['far', ['*']],
    ['old', ['a']],
  ]);
  expect(processOf(servers[0])).toEqual({
    kind: 'process',
    command: 'npx',
    args: ['-y', 'server', 'https://x/*not a comment*/', 'pa$$w$ord'],
    env: { KEY: 'value', RAW: 'a$b' },
  });
  expect(remoteOf(servers[1])).toMatchObject({
    transport: 'http',
    headers: { Authorization: 'Bearer abcd' },
  });
  expect(remoteOf(servers[2]).transport).toBe('sse');
  expect(servers[2]?.lazy).toBe(true);
  expect(warnings).toEqual(['server "fs": unknown key "weird" is ignored.']);
  expect(secrets).toEqual([
    { value: 'Bearer abcd', isNamed: true, owner: 'far' },
    { value: 'value', isNamed: true, owner: 'fs' },
    { value: 'abcd', isNamed: true, owner: 'far' },
  ]);
});

test.each([['{"servers": {"a": {"command": "x"}}}'], ['{"mcp": {"servers": {"a": {"command": "x"}}}}']])(
  'reads servers under editor keys: %s',
  (servers) => {
    expect(resolve({ servers, file: 'mcp.JSON' }).servers.map(({ name }) => name)).toEqual(['a']);
  },
);

test('values in the secrets file override those in the JSON file', () => {
  const secrets = '[servers.fs.env]\nKEY = "mine"\n';
  const { servers } = resolve({ servers: FILE, file: 'c.json', secrets, env: { WORD: 'value' } });
  expect(processOf(servers[0]).env).toEqual({ KEY: 'mine', RAW: 'a$b' });
});

test.each([
  ['{\n"mcpServers": {\n', 'c.json: invalid JSON: unexpected end of input.'],
  ['{"mcpServers": ]}', 'c.json: invalid JSON: unexpected "]" at line 1, column 16.'],
  ['[]', 'c.json: the file contains no servers. Put them under "mcpServers".'],
  ['', 'c.json: the file is empty. To configure no servers, write {"mcpServers": {}}.'],
  ['{"mcpServers": {"a": 1}}', 'c.json: a server must be a table, not 1.'],
  ['{"mcpServers": {"a b": {"command": "x"}}}', 'invalid server name "a b".'],
  [
    '{"mcpServers": {"a": {"command": "x", "args": "y"}}}',
    'c.json: server "a": args must be a list of strings',
  ],
  [
    '{"mcpServers": {"a": {"type": "websocket", "url": "https://x"}}}',
    'transport must be one of http, sse, not "websocket".',
  ],
  ['{"mcpServers": {"a": {"command": "${cwd:x}"}}}', '"${cwd:x}" is not a variable reference.'],
])('%s is rejected', (servers, message) => {
  const problems = problemsOf({ servers, file: 'c.json' });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(message);
});

test('prompted inputs become variables, and numbers become strings', () => {
  const servers = JSON.stringify({
    servers: { 'my-api': { command: 'x', args: ['--port', 80], env: { K: '${input:api-key}', ON: true } } },
  });
  const env = { MCPD__MY_API__API_KEY: 'value' };
  const resolved = resolve({ servers, file: 'mcp.json', env });
  expect(processOf(resolved.servers[0])).toMatchObject({
    args: ['--port', '80'],
    env: { K: 'value', ON: 'true' },
  });
  expect(resolved.warnings).toEqual([
    'server "my-api": the input "api-key" was converted to the variable MCPD__MY_API__API_KEY. Set it before the server starts.',
  ]);
});
