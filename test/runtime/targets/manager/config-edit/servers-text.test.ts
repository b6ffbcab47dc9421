import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { addServer, removeServer, setServerKey } from '#manager/config-edit/servers-text.ts';

const FILE = `# Our servers.

# the clock
[[servers]]
  name = "time"   # as it was
  package = 'uvx::mcp-server-time@2025.8.4'
  tools = [
    "get_current_time", # first
    "convert_time",
  ]

# a folder
[[servers]]
name = "files"
package = "docker::mcp/files@1"
tools = ["*"]
[servers.volumes.workspace] # where
path = "/workspace"

[daemon.api]
addr = "127.0.0.1:1"   # ours
`;
const NEW = { name: 'new', command: 'x', tools: ['a'], volumes: { w: { path: '/w' } } };

test('a server is appended without changing the rest of the file', () => {
  const added = addServer(FILE, NEW);
  const [before, after] = FILE.split('\n[daemon.api]');
  expect(added).toBe(`${before}
[[servers]]
name = "new"
command = "x"
tools = [ "a" ]
[servers.volumes.w]
path = "/w"

[daemon.api]${after}`);
});

test.each([
  ['# none yet\nservers = []\n', '# none yet\n\n[[servers]]\nname = "a"\ncommand = "x"\n'],
  ['# none yet', '# none yet\n\n[[servers]]\nname = "a"\ncommand = "x"\n'],
  ['', '[[servers]]\nname = "a"\ncommand = "x"\n'],
  [
    '[daemon.api]\r\naddr = ":1"\r\n',
    '[daemon.api]\r\naddr = ":1"\r\n\r\n[[servers]]\r\nname = "a"\r\ncommand = "x"\r\n',
  ],
  ['\uFEFFservers = []\n', '\uFEFF[[servers]]\nname = "a"\ncommand = "x"\n'],
])('a first server is added to %j', (text, expected) => {
  expect(addServer(text, { name: 'a', command: 'x' })).toBe(expected);
});

test('servers that are written on one line stay on one line', () => {
  const added = addServer('servers = [{ name = "a", command = "x" }] # all\n', { name: 'b', command: 'y' });
  expect(parse(added)['servers']).toMatchObject([{ name: 'a' }, { name: 'b', command: 'y' }]);
  expect(added).toContain('# all');
});

test('removing a server deletes only its tables and the comment above it', () => {
  expect(removeServer(FILE, 'time')).toBe(FILE.replace(/# the clock[^]*(?=# a folder)/, ''));
  expect(removeServer(FILE, 'Files')).toBe(FILE.replace(/# a folder[^]*(?=\[daemon)/, ''));
  expect(parse(removeServer(removeServer(FILE, 'files'), 'time'))).toEqual({
    daemon: { api: { addr: '127.0.0.1:1' } },
  });
});

test("a server's key is set in place", () => {
  const tools = ['get_current_time', 'convert_time', 'x'];
  expect(setServerKey(FILE, 'time', 'tools', tools)).toBe(
    FILE.replace('"convert_time",\n', '"convert_time",\n    "x",\n'),
  );
  expect(setServerKey(FILE, 'files', 'tools', ['read_*'])).toBe(
    FILE.replace('tools = ["*"]', 'tools = ["read_*"]'),
  );
  const enabled = setServerKey(FILE, 'files', 'enabled', false);
  expect(parse(enabled)['servers']).toMatchObject([{ name: 'time' }, { name: 'files', enabled: false }]);
  expect(setServerKey(FILE, 'time', 'tools', ['get_current_time', 'convert_time'])).toBe(FILE);
});

test('an unknown server is reported with the names of the existing servers', () => {
  expect(() => removeServer(FILE, 'tine')).toThrow('Unknown server "tine". Did you mean "time"?');
  expect(() => removeServer('', 'time')).toThrow('Unknown server "time". No servers are configured.');
});

test('comments at the end of the file stay at the end', () => {
  const text = '[[servers]]\nname = "a"\ncommand = "x"\ntools = []\n# cwd = "/x"\n\n# the end\n';
  const server = { name: 'b', command: 'y', tools: [] };
  const added = addServer(text, server);
  const block = '[[servers]]\nname = "b"\ncommand = "y"\ntools = []\n';
  expect(added).toBe(text.replace('"/x"\n', `"/x"\n\n${block}`));
  expect(removeServer(added, 'b')).toContain('# cwd = "/x"\n');
  expect(removeServer(added, 'b')).toContain('\n# the end\n');
  expect(removeServer(text, 'a')).toContain('# the end\n');
  const above = '[[servers]]\nname = "a"\ncommand = "x"\ntools = []\n# about the rest\n[daemon]\n';
  expect(addServer(above, server)).toContain('\n# about the rest\n[daemon]\n');
});
