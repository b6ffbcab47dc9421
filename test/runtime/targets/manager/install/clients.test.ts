import { describe, expect, test } from 'vitest';
import { parse } from 'smol-toml';
import { CLIENT_FILES, type ClientName, type McpClientFile } from '#manager/install/clients.ts';
import { editClientText } from '#manager/install/edit-client-text.ts';
import { httpEntry, stdioEntry } from '#manager/install/manager-entry.ts';
import type { Place } from '#manager/install/place.ts';

const linux: Place = { platform: 'linux', home: '/home/ada', env: {} };
const mac: Place = { platform: 'darwin', home: '/Users/ada', env: {} };
const windows: Place = { platform: 'win32', home: String.raw`C:\Users\ada`, env: {} };

const files = Object.entries<McpClientFile>(CLIENT_FILES);

test('each client has its configuration file paths on each platform', () => {
  const paths = Object.fromEntries(
    files.map(([name, { file }]) => [name, [linux, mac, windows].map((place) => file(place))]),
  );
  expect(paths).toMatchInlineSnapshot(`
    {
      "claude-code": [
        "/home/ada/.claude.json",
        "/Users/ada/.claude.json",
        "C:\\Users\\ada\\.claude.json",
      ],
      "claude-desktop": [
        "/home/ada/.config/Claude/claude_desktop_config.json",
        "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
        "C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
      ],
      "cline": [
        "/home/ada/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "/Users/ada/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\globalStorage\\saoudrizwan.claude-dev\\settings\\cline_mcp_settings.json",
      ],
      "codex": [
        "/home/ada/.codex/config.toml",
        "/Users/ada/.codex/config.toml",
        "C:\\Users\\ada\\.codex\\config.toml",
      ],
      "cursor": [
        "/home/ada/.cursor/mcp.json",
        "/Users/ada/.cursor/mcp.json",
        "C:\\Users\\ada\\.cursor\\mcp.json",
      ],
      "gemini-cli": [
        "/home/ada/.gemini/settings.json",
        "/Users/ada/.gemini/settings.json",
        "C:\\Users\\ada\\.gemini\\settings.json",
      ],
      "lm-studio": [
        "/home/ada/.lmstudio/mcp.json",
        "/Users/ada/.lmstudio/mcp.json",
        "C:\\Users\\ada\\.lmstudio\\mcp.json",
      ],
      "vscode": [
        "/home/ada/.config/Code/User/mcp.json",
        "/Users/ada/Library/Application Support/Code/User/mcp.json",
        "C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json",
      ],
      "windsurf": [
        "/home/ada/.codeium/windsurf/mcp_config.json",
        "/Users/ada/.codeium/windsurf/mcp_config.json",
        "C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json",
      ],
      "zed": [
        "/home/ada/.config/zed/settings.json",
        "/Users/ada/.config/zed/settings.json",
        "C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json",
      ],
    }
  `);
});

test('environment variables change the file paths', () => {
  const at = (name: ClientName, env: Place['env'], place = linux): string =>
    CLIENT_FILES[name].file({ ...place, env });
  expect(at('vscode', { XDG_CONFIG_HOME: '/cfg' })).toBe('/cfg/Code/User/mcp.json');
  expect(at('claude-desktop', { APPDATA: String.raw`D:\Data` }, windows)).toBe(
    String.raw`D:\Data\Claude\claude_desktop_config.json`,
  );
  expect(at('claude-code', { CLAUDE_CONFIG_DIR: '/c' })).toBe('/c/.claude.json');
  expect(at('codex', { CODEX_HOME: '/x' })).toBe('/x/config.toml');
  expect(at('cline', { CLINE_MCP_SETTINGS_PATH: '/s.json' })).toBe('/s.json');
});

const selection = { servers: ['git*'], tools: ['time/get_now'] };
const stdio = stdioEntry({
  command: ['/bin/mcp-manager'],
  config: '/etc/.mcpd.toml',
  runtimeFile: undefined,
  url: 'http://h:1',
  selection,
  group: undefined,
  apiKey: 'key',
  apiKeyFile: undefined,
});
const http = httpEntry(new URL('http://h:1'), { selection, group: undefined, apiKey: 'key' });

test('configuration entries of all clients', () => {
  expect(stdio).toEqual({
    command: '/bin/mcp-manager',
    args: [
      'stdio',
      '--config',
      '/etc/.mcpd.toml',
      '--url',
      'http://h:1',
      '--servers',
      'git*',
      '--tools',
      'time/get_now',
    ],
    env: { MCP_MANAGER_API_KEY: 'key' },
  });
  const url = 'http://h:1/mcp?servers=git*&tools=time/get_now';
  const headers = { Authorization: 'Bearer key' };
  expect(http).toEqual({ url, headers });
  const written = Object.fromEntries(files.map(([name, client]) => [name, client.http?.(http)]));
  expect(written).toEqual({
    'claude-desktop': undefined,
    'claude-code': { type: 'http', url, headers },
    cursor: { url, headers },
    vscode: { type: 'http', url, headers },
    windsurf: { serverUrl: url, headers },
    zed: { url, headers },
    cline: { type: 'streamableHttp', url, headers },
    codex: { url, http_headers: headers },
    'gemini-cli': { httpUrl: url, headers },
    'lm-studio': { url, headers },
  });
});

describe.each(files)('%s', (_name, client) => {
  const other =
    client.format === 'toml'
      ? `# mine\n[${client.servers}.other]\ncommand = "x"\n`
      : `{"${client.servers}": {"other": {"command": "x"}}}`;
  const edit = (text: string, entry: object | undefined): string =>
    editClientText(text, client, { path: 'file', name: 'mcp-manager', entry });
  const read = (text: string): Record<string, unknown> =>
    (client.format === 'toml' ? parse(text) : JSON.parse(text)) as Record<string, unknown>;

  test('an entry is added, changed and removed without changing the rest of the file', () => {
    const added = edit(other, client.stdio(stdio));
    expect(read(added)).toEqual({
      [client.servers]: { other: { command: 'x' }, 'mcp-manager': client.stdio(stdio) },
    });
    expect(edit(added, client.stdio(stdio))).toBe(added);
    expect(read(edit(added, undefined))).toEqual(read(other));
    const changed = client.http?.(http) ?? { command: 'y' };
    expect(read(edit(added, changed))[client.servers]).toEqual({
      other: { command: 'x' },
      'mcp-manager': changed,
    });
    expect(read(edit('', client.stdio(stdio)))).toEqual({
      [client.servers]: { 'mcp-manager': client.stdio(stdio) },
    });
    expect(edit('', undefined)).toBe('');
  });
});

test('user settings in the entry are kept', () => {
  const text =
    '{"mcpServers": {"mcp-manager": {"url": "http://old", "disabled": true, "autoApprove": ["a"]}}}';
  const edited = editClientText(text, CLIENT_FILES.cline, {
    path: 'f',
    name: 'mcp-manager',
    entry: { command: 'x' },
  });
  expect(JSON.parse(edited)).toEqual({
    mcpServers: { 'mcp-manager': { command: 'x', disabled: true, autoApprove: ['a'] } },
  });
});

test('Codex: comments and order of the TOML file are kept', () => {
  const text = '# top\nmodel = "o5" # mine\n\n[mcp_servers.other]\ncommand = "x"\n\n[tui]\ntheme = "dark"\n';
  const added = editClientText(text, CLIENT_FILES.codex, {
    path: 'f',
    name: 'mcp-manager',
    entry: { command: 'y' },
  });
  expect(added).toContain('[mcp_servers.mcp-manager]\ncommand = "y"\n');
  for (const line of text.split('\n')) expect(added).toContain(line);
  expect(
    editClientText(added, CLIENT_FILES.codex, { path: 'f', name: 'mcp-manager', entry: undefined }),
  ).toBe(text);
});

test.each([
  ['cursor', '{\n  "mcpServers": [],\n}', /^file:2: mcpServers must be an object\. Fix the file first\.$/],
  [
    'cursor',
    '{\n  "mcpServers": {\n    x\n}',
    /^file:3: invalid JSON: expected a quoted name, not "x"\. Fix/,
  ],
  ['cursor', '[]', /^file:1: the file must be an object/],
  ['codex', 'a = \n', /^file: .*Fix the file first\.$/],
] as const)('%s: an invalid file is rejected: %j', (name, text, message) => {
  const work = (): string =>
    editClientText(text, CLIENT_FILES[name], { path: 'file', name: 'm', entry: { command: 'x' } });
  expect(work).toThrow(message);
});
