import { expect, test } from 'vitest';
import { replaceServer, serverBlock } from '#manager/config-edit/server-block.ts';

const FILE = `# About the file.

# About one.
[[servers]]
name = "one"
command = "a" # why

[servers.env]
KEY = "\${KEY}"

# About two.
[[servers]]
name = "Two"
command = "b"

[[groups]]
name = "all"
servers = ["*"]
`;

test("a server's section includes its tables and comments", () => {
  expect(serverBlock(FILE, 'ONE')).toBe(
    '# About one.\n[[servers]]\nname = "one"\ncommand = "a" # why\n\n[servers.env]\nKEY = "${KEY}"\n',
  );
  expect(serverBlock(FILE, 'two')).toBe('# About two.\n[[servers]]\nname = "Two"\ncommand = "b"\n');
  expect(serverBlock('servers = [{name = "x", command = "y"}]\n', 'x')).toBe(
    '[[servers]]\nname = "x"\ncommand = "y"\n',
  );
});

test.each(['one', 'two'])(
  'replacing the section of %s with itself has no effect, and a change affects no other lines',
  (name) => {
    const block = serverBlock(FILE, name);
    expect(replaceServer(FILE, name, block)).toBe(FILE);
    const changed = block.replace(/command = "\w"/, 'command = "changed"');
    expect(replaceServer(FILE, name, changed)).toBe(FILE.replace(block.trim(), changed.trim()));
  },
);

test('a server in a list of inline tables can also be replaced', () => {
  const edited = replaceServer(
    'servers = [{name = "x", command = "y"}, {name = "z", command = "y"}]\n',
    'x',
    '[[servers]]\nname = "x"\ncommand = "other"\n',
  );
  expect(serverBlock(edited, 'x')).toContain('command = "other"');
  expect(serverBlock(edited, 'z')).toContain('command = "y"');
});

test.each([
  '',
  '[[servers]]\nname = "a"\n[[servers]]\nname = "b"\n',
  'servers = 1\n',
  '[[servers]]\nname = "a"\n[daemon]\n',
])('%j is rejected as a server section', (block) =>
  expect(() => replaceServer(FILE, 'one', block)).toThrow(
    'The text must contain exactly one [[servers]] table',
  ),
);
