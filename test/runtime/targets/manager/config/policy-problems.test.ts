import { expect, test } from 'vitest';
import { problemsOf } from './resolve.ts';

const server = (rest: string): string => `[[servers]]\nname = "a"\n${rest}`;
const COMMAND = 'command = "x"\ntools = ["*"]\n';

test.each([
  [
    server('package = "uvx::x@1"\ntools = ["*"]\npackage_hash = "x"\n'),
    '.mcpd.toml:5: server "a": package_hash requires an npx package. Remove it.',
  ],
  [
    server('package = "npx::x@1"\ntools = ["*"]\npackage_hash = "sha1-x"\n'),
    '.mcpd.toml:5: server "a": package_hash must be an npm integrity hash, which starts with "sha512-".',
  ],
  [server(`${COMMAND}package_hash = "x"\n`), '.mcpd.toml:5: server "a": package_hash requires package.'],
  [
    server(`${COMMAND}on_change = "ignore"\n`),
    '.mcpd.toml:5: server "a": on_change must be one of warn, block, not "ignore".',
  ],
  [
    server(`${COMMAND}scan = "ignore"\n`),
    '.mcpd.toml:5: server "a": scan must be one of off, warn, block, quarantine, not "ignore".',
  ],
  [
    `${server(COMMAND)}[daemon.scan]\nclassifier = "ftp://x"\n`,
    '.mcpd.toml:6: [daemon.scan]: classifier must be the path of an .encoder file, or an http:// or https:// URL without a user, a query or a fragment, not "ftp://x".',
  ],
  [
    `${server(COMMAND)}[daemon.scan]\nthreshold = 0.5\n`,
    '.mcpd.toml:6: [daemon.scan]: threshold requires classifier.',
  ],
  [
    server(`${COMMAND}[servers.tool_overrides.read]\nrename = "r w"\n`),
    '.mcpd.toml:6: server "a": tool_overrides: read: rename must consist of at most 64 letters, digits, "_", "-" and ".", not "r w". Change it.',
  ],
  [
    server(`${COMMAND}[servers.tool_overrides]\nread = { rename = "x" }\nwrite = { rename = "X" }\n`),
    '.mcpd.toml:7: server "a": tool_overrides: write: rename "X" is also the name of read. Choose another name.',
  ],
  [
    server(`${COMMAND}[servers.tool_overrides.read.annotations]\nreadonly = true\n`),
    '.mcpd.toml:6: server "a": tool_overrides: read: annotations: unknown key "readonly". Did you mean readOnlyHint?',
  ],
  [
    server(`${COMMAND}approvals = [{ tools = ["x"], action = "maybe" }]\n`),
    '.mcpd.toml:5: server "a": approvals 1: action must be one of allow, deny, ask, not "maybe".',
  ],
  [
    server(`${COMMAND}approvals = [{ when = "destructive" }]\n`),
    '.mcpd.toml:5: server "a": approvals 1: action is missing. Use allow, deny, ask.',
  ],
  [
    server(`${COMMAND}approvals = "ask"\n`),
    '.mcpd.toml:5: server "a": approvals must be a list of tables, not "ask".',
  ],
  [
    'groups = 1',
    '.mcpd.toml:1: groups must be a list. Start each group with [[groups]], in double brackets.',
  ],
  ['[[groups]]\nname = "a_b_"\n', '.mcpd.toml:2: group "a_b_": invalid group name "a_b_".'],
  [
    `${server(COMMAND)}[[groups]]\nname = "g"\n`,
    '.mcpd.toml:5: group "g": the group is empty. List its servers, e.g. servers = ["time"], or its tools.',
  ],
  [
    `${server(COMMAND)}[[groups]]\nname = "g"\nservers = ["a"]\nmcp_mode = "lua"\n`,
    '.mcpd.toml:8: group "g": mcp_mode must be one of all, search, code, not "lua".',
  ],
  [
    `${server(COMMAND)}[[groups]]\nname = "g"\nservers = ["b*"]\n`,
    '.mcpd.toml:7: group "g": servers: no server matches "b*". Known servers: a.',
  ],
  [
    `${server(COMMAND)}[[groups]]\nname = "g"\ntools = ["read"]\n`,
    '.mcpd.toml:7: group "g": tools must contain patterns of the form server/name, not "read".',
  ],
])('reports a problem with hashes, overrides, approvals, pins or groups: %j', (servers, message) => {
  const problems = problemsOf({ servers });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(message);
});
