import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '#serve/cli/run.ts';
import { managerProgram } from '#manager/program.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const folder = useTempFolder();

const FILE = `# Our servers
[[servers]]
name = "time"
package = "uvx::mcp-server-time@2025.8.4"
tools = ["get_current_time"]

[plugins]
dir = "plugins" # beside this file

# Who are you?
[[plugins.authentication]]
name = "jwt-auth"   # tokens
flows = ["request"]
required = true

[plugins.authentication.config]
realm = "\${REALM}"

# Old keys
[[plugins.authentication]]
name = "api-key"
flows = ["request"]

# Everything is kept
[[plugins.audit]]
name = "logger"
flows = ["request", "response"]

[daemon.api]
addr = "127.0.0.1:8090"
`;

const path = (): string => join(folder(), '.mcpd.toml');
const text = (): string => readFileSync(path(), 'utf8');

/** Runs `config plugins` with these arguments on the file above, or on the output of an earlier command. */
async function plugins(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const output = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const code = await runProgram(
    managerProgram,
    ['config', 'plugins', ...args, '--config-file', path()],
    output,
  );
  return { code, out, err };
}

function write(toml = FILE): void {
  writeFileSync(path(), toml);
}

const JWT = ['--category', 'authentication', '--name', 'jwt-auth'];
const KEY = ['--category', 'authentication', '--name', 'api-key'];

/** The part of the file from one string up to another. */
const part = (from: string, to: string): string => FILE.slice(FILE.indexOf(from), FILE.indexOf(to));
const JWT_BLOCK = part('# Who', '# Old');
const KEY_BLOCK = part('# Old', '# Everything');
const LOGGER_BLOCK = part('# Everything', '[daemon');
const BEFORE = part('# Our', '# Who');
const AFTER = FILE.slice(FILE.indexOf('[daemon'));

test('list and get show plugins in execution order', async () => {
  write();
  expect((await plugins('list')).out).toBe(
    'authentication jwt-auth request required\nauthentication api-key request\naudit logger request,response\n',
  );
  expect((await plugins('list', '--category', 'audit')).out).toBe('audit logger request,response\n');
  expect((await plugins('get')).out).toBe('dir=plugins\n');
  expect(JSON.parse((await plugins('get', ...JWT, '--format', 'json')).out)).toEqual({
    category: 'authentication',
    name: 'jwt-auth',
    flows: ['request'],
    required: true,
    config: { realm: '${REALM}' },
  });
  expect((await plugins('get', ...KEY)).out).toBe(
    'category=authentication\nname=api-key\nflows=["request"]\n',
  );
});

test('add appends a plugin to its category', async () => {
  write();
  const { code, err } = await plugins(
    'add',
    'oidc',
    '--category',
    'authentication',
    '--flow',
    'request',
    '--required',
  );
  expect([code, err]).toEqual([0, `Changed ${path()}.\n`]);
  expect(text()).toBe(
    `${BEFORE}${JWT_BLOCK}${KEY_BLOCK.trimEnd()}

[[plugins.authentication]]
name = "oidc"
required = true
flows = [ "request" ]

${LOGGER_BLOCK}${AFTER}`,
  );
});

test('add creates a new category at the end, with all settings', async () => {
  write();
  const hook = ['--kind', 'http', '--url', 'http://127.0.0.1:9000', '--timeout', '1s', '--config', 'a=b=c'];
  await plugins('add', 'hook', '--category', 'content', '--flow', 'request', '--flow', 'response', ...hook);
  expect(text()).toBe(
    `${BEFORE}${JWT_BLOCK}${KEY_BLOCK}${LOGGER_BLOCK.trimEnd()}

[[plugins.content]]
name = "hook"
kind = "http"
url = "http://127.0.0.1:9000"
timeout = "1s"
flows = [ "request", "response" ]
[plugins.content.config]
a = "b=c"

${AFTER}`,
  );
  expect((await plugins('validate')).out).toBe(`${path()} is valid: 4 plugins.\n`);
});

test('add works in a file without plugins', async () => {
  write('servers = []\n');
  await plugins('set', '--dir', '/opt/plugins');
  await plugins('add', 'logger', '--category', 'audit', '--flow', 'response', '--commit-hash', 'abc');
  expect(text()).toBe(`servers = []

[plugins]
dir = "/opt/plugins"

[[plugins.audit]]
name = "logger"
commit_hash = "abc"
flows = [ "response" ]
`);
});

test('set changes only the given settings, and adds them if they are missing', async () => {
  write();
  await plugins('set', ...JWT, '--flow', 'request', '--flow', 'response', '--required=false');
  expect(text()).toBe(
    FILE.replace('flows = ["request"]\nrequired = true', 'flows = ["request", "response"]\nrequired = false'),
  );
  write();
  await plugins('set', ...KEY, '--commit-hash', 'abc');
  expect(text()).toContain('name = "api-key"\nflows = ["request"]\ncommit_hash = "abc"\n');
  await plugins('set', ...KEY, '--commit-hash=');
  expect(text()).toBe(FILE);
  await plugins('set', ...JWT, '--config', 'audience=a', '--config', 'realm=r');
  await plugins('set', ...KEY, '--config', 'audience=b');
  expect(text()).toBe(
    FILE.replace('realm = "${REALM}"', 'realm = "r"\naudience = "a"').replace(
      'name = "api-key"\nflows = ["request"]',
      'name = "api-key"\nflows = ["request"]\nconfig = { audience = "b" }',
    ),
  );
  await plugins('set', '--category', 'validation', '--name', 'new', '--flow', 'request');
  expect((await plugins('list', '--category', 'validation')).out).toBe('validation new request\n');
});

test('set changes the plugin folder', async () => {
  write();
  await plugins('set', '--dir', '/opt/p');
  expect(text()).toBe(FILE.replace('dir = "plugins" # beside', 'dir = "/opt/p" # beside'));
});

test('remove deletes a plugin with its comments', async () => {
  write();
  await plugins('remove', ...JWT);
  expect(text()).toBe(`${BEFORE}${KEY_BLOCK}${LOGGER_BLOCK}${AFTER}`);
});

test.each([
  ['--before', 'jwt-auth', KEY],
  ['--after', 'api-key', JWT],
  ['--position', '1', KEY],
  ['--position', '2', JWT],
])('move changes the order: %s %s', async (option, value, plugin) => {
  write();
  await plugins('move', ...plugin, option, value);
  expect(text()).toBe(`${BEFORE}${KEY_BLOCK}${JWT_BLOCK}${LOGGER_BLOCK}${AFTER}`);
});

test("move changes a plugin's category, and replaces a plugin with the same name there only on request", async () => {
  write();
  await plugins('move', ...JWT, '--to-category', 'audit', '--position', '1');
  const moved = JWT_BLOCK.replaceAll('plugins.authentication', 'plugins.audit');
  expect(text()).toBe(`${BEFORE}${KEY_BLOCK}${moved}${LOGGER_BLOCK}${AFTER}`);

  write(FILE.replace('"logger"', '"jwt-auth"'));
  const refused = await plugins('move', ...JWT, '--to-category', 'audit');
  expect(refused.code).toBe(1);
  expect(refused.err).toContain(
    'plugins.audit already contains a plugin "jwt-auth". Pass --force to replace it, or remove it.',
  );
  await plugins('move', ...JWT, '--to-category', 'audit', '--force');
  expect((await plugins('list')).out).toBe(
    'authentication api-key request\naudit jwt-auth request required\n',
  );
});

test('validate reports all problems, and checks programs only on request', async () => {
  write();
  expect(await plugins('validate')).toMatchObject({ code: 0, out: `${path()} is valid: 3 plugins.\n` });
  const missing = await plugins('validate', '--check-binaries', '--category', 'audit');
  expect(missing).toMatchObject({
    code: 1,
    out: `audit plugin "logger": ${join(folder(), 'plugins/logger')} does not exist. Install the plugin there, or correct its name or [plugins] dir.\n`,
  });
  write(FILE.replace('dir = "plugins"', 'dir = "."'));
  writeFileSync(join(folder(), 'logger'), '#!/bin/sh\n');
  const forbidden = await plugins('validate', '--check-binaries', '--category', 'audit');
  expect(forbidden.out).toContain('logger is not executable. Run `chmod +x');
  chmodSync(join(folder(), 'logger'), 0o755);
  expect((await plugins('validate', '--check-binaries', '--category', 'audit')).code).toBe(0);

  write(FILE.replaceAll('flows = ["request"]', 'flows = []'));
  const wrong = await plugins('validate', '--format', 'json');
  expect(wrong.code).toBe(1);
  expect(JSON.parse(wrong.out)).toMatchObject({
    valid: false,
    problems: [
      'authentication plugin "jwt-auth": flows is empty. Set flows to ["request"], ["response"] or both.',
      'authentication plugin "api-key": flows is empty. Set flows to ["request"], ["response"] or both.',
    ],
  });
});

test.each([
  [['add', 'x', '--flow', 'request'], 2, 'Missing option: --category, one of observability, '],
  [['add', 'x', '--category', 'audit'], 2, 'Missing option: --flow. Pass --flow request'],
  [['add', 'x', '--category', 'sound', '--flow', 'request'], 2, '"sound" is not one of observability, '],
  [['add', 'logger', '--category', 'audit', '--flow', 'request'], 1, 'Change it with `config plugins set`.'],
  [['remove', '--category', 'audit'], 2, 'Missing option: --name <name>.'],
  [['remove', '--category', 'audit', '--name', 'loger'], 1, 'no plugin "loger". Did you mean "logger"?'],
  [
    ['remove', '--category', 'content', '--name', 'x'],
    1,
    'plugins.content contains no plugin "x". It is empty.',
  ],
  [
    ['set', '--dir', 'd', '--required'],
    2,
    '--dir applies to all plugins and conflicts with --required; use one of them.',
  ],
  [['move', ...JWT], 2, 'Missing option: pass --to-category, --before, --after or --position.'],
  [['move', ...JWT, '--before', 'a', '--after', 'b'], 2, '--before conflicts with --after; use one of them.'],
  [['move', ...JWT, '--before', 'nobody'], 1, 'plugins.authentication contains no plugin "nobody".'],
  [['move', ...JWT, '--position', '0'], 2, '"0" is not a positive whole number or -1.'],
])('an impossible change is rejected: %j', async (args, code, message) => {
  write();
  const result = await plugins(...args);
  expect(result.err).toContain(message);
  expect(result.code).toBe(code);
  expect(text()).toBe(FILE);
});
