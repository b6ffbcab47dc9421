import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { readPluginSettings } from '#manager/config/read-plugins.ts';

interface Read {
  readonly plugins: readonly object[];
  readonly problems: readonly string[];
}

function read(toml: string): Read {
  const problems: string[] = [];
  const { plugins } = readPluginSettings(parse(toml)['plugins'], (path, message) => {
    problems.push(`${path.join('.')} | ${message}`);
  });
  return { plugins, problems };
}

test("reads mcpd's plugin settings in execution order", () => {
  const { plugins, problems } = read(`
    [plugins]
    dir = "/etc/mcpd/plugins"
    [[plugins.audit]]
    name = "compliance-logger"
    flows = ["response", "request"]
    [[plugins.authentication]]
    name = "jwt-auth"
    commit_hash = "a1b2c3d4"
    required = true
    flows = ["request"]
    [[plugins.authentication]]
    name = "api-key-auth"
    flows = ["request"]
  `);
  expect(problems).toEqual([]);
  const launch = { kind: 'exec', dir: '/etc/mcpd/plugins', commitHash: undefined };
  const common = { required: false, timeoutMs: 5000, config: {}, launch };
  expect(plugins).toEqual([
    {
      ...common,
      name: 'jwt-auth',
      category: 'authentication',
      flows: ['request'],
      required: true,
      launch: { ...launch, commitHash: 'a1b2c3d4' },
    },
    { ...common, name: 'api-key-auth', category: 'authentication', flows: ['request'] },
    { ...common, name: 'compliance-logger', category: 'audit', flows: ['request', 'response'] },
  ]);
});

test('modules and hooks do not require a folder, and have their own timeout and configuration', () => {
  const { plugins, problems } = read(`
    [[plugins.content]]
    name = "redact"
    kind = "js"
    path = "plugins/redact.mjs"
    flows = ["response"]
    timeout = "250ms"
    config = { words = "\${WORDS}" }
    [[plugins.content]]
    name = "hook"
    kind = "http"
    url = "http://127.0.0.1:9000/hook"
    flows = ["request"]
  `);
  expect(problems).toEqual([]);
  expect(plugins).toMatchObject([
    { timeoutMs: 250, config: { words: '${WORDS}' }, launch: { kind: 'js', path: 'plugins/redact.mjs' } },
    { launch: { kind: 'http', url: 'http://127.0.0.1:9000/hook' } },
  ]);
});

test('a configuration without plugins is valid', () => {
  expect(read('servers = []')).toEqual({ plugins: [], problems: [] });
  expect(read('[plugins]')).toEqual({ plugins: [], problems: [] });
});

const entry = (lines: string): string => `[plugins]\ndir = "d"\n[[plugins.audit]]\n${lines}`;
const LOGGER = 'name = "logger"\n';
const FLOWS = 'flows = ["request"]\n';
const WAY_OUT = 'Set flows to ["request"], ["response"] or both.';

test.each([
  ['plugins = 5', 'plugins | plugins must be a table, not 5.'],
  [
    '[plugins]\naudit = 5',
    'plugins.audit | plugins.audit must be a list. Start each plugin with [[plugins.audit]].',
  ],
  ['[plugins]\naudit = [5]', 'plugins.audit.0 | plugins.audit: a plugin must be a table, not 5.'],
  [
    '[[plugins.autentication]]',
    'plugins.autentication | plugins: unknown key "autentication". Did you mean authentication?',
  ],
  [entry(FLOWS), 'plugins.audit.0 | audit plugin 1: name is missing. Add one, e.g. name = "jwt-auth".'],
  [entry(LOGGER), `plugins.audit.0 | audit plugin "logger": flows is missing. ${WAY_OUT}`],
  [entry(`${LOGGER}flows = []`), `plugins.audit.0.flows | audit plugin "logger": flows is empty. ${WAY_OUT}`],
  [
    entry(`${LOGGER}flows = ["request", "request"]`),
    `plugins.audit.0.flows | audit plugin "logger": flows contains a flow twice. ${WAY_OUT}`,
  ],
  [
    entry(`${LOGGER}flows = ["requests"]`),
    `plugins.audit.0.flows | audit plugin "logger": flows contains the unknown flow "requests". ${WAY_OUT}`,
  ],
  [
    entry(`${LOGGER}${FLOWS}required = "yes"`),
    'plugins.audit.0.required | audit plugin "logger": required must be true or false, not "yes".',
  ],
  [
    entry(`${LOGGER}${FLOWS}kind = "wasm"`),
    'plugins.audit.0.kind | audit plugin "logger": kind must be one of exec, http, js, not "wasm".',
  ],
  [
    entry(`${LOGGER}${FLOWS}kind = "js"`),
    'plugins.audit.0 | audit plugin "logger": path is missing. Set it to a JavaScript file, e.g. path = "plugins/redact.mjs".',
  ],
  [
    entry(`${LOGGER}${FLOWS}kind = "http"`),
    'plugins.audit.0 | audit plugin "logger": url is missing. Set it to a URL, e.g. url = "http://127.0.0.1:9000/hook".',
  ],
  [
    entry(`${LOGGER}${FLOWS}url = "http://x"`),
    'plugins.audit.0.url | audit plugin "logger": url conflicts with kind = "exec"; it requires kind = "http".',
  ],
  [
    entry(`name = "../logger"\n${FLOWS}`),
    'plugins.audit.0.name | audit plugin "../logger": name must be the name of a file in the plugin folder, not the path "../logger".',
  ],
  [
    `[[plugins.audit]]\n${LOGGER}${FLOWS}`,
    'plugins.audit.0.name | audit plugin "logger": the plugin folder is not set. Set it, e.g. [plugins] dir = "/etc/mcpd/plugins".',
  ],
  [
    `${entry(LOGGER + FLOWS)}[[plugins.audit]]\n${LOGGER}${FLOWS}`,
    'plugins.audit.1.name | plugins.audit has two plugins named "logger". Remove or rename one of them.',
  ],
])('reports each problem in one sentence: %j', (toml, problem) => {
  expect(read(toml).problems).toEqual([problem]);
});
