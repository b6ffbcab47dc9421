import { placePath, type Place, settingsFolder } from './place.ts';

/** A command that the client starts. */
export interface StdioEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** A URL that the client connects to. */
export interface HttpEntry {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The configuration file of an MCP client. docs/mcp-manager-clients.md lists the sources of these facts. */
export interface McpClientFile {
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** Whether the client accepts comments in its JSON. */
  readonly comments?: boolean;
  readonly file: (place: Place) => string;
  /** The field that contains the servers by name. */
  readonly servers: string;
  readonly stdio: (entry: StdioEntry) => object;
  /** Undefined if the client only supports commands. */
  readonly http?: (entry: HttpEntry) => object;
}

const plain = (entry: object): object => entry;

const inHome =
  (...parts: readonly string[]) =>
  (place: Place): string =>
    placePath(place, place.home, ...parts);

const inSettings =
  (...parts: readonly string[]) =>
  (place: Place): string =>
    placePath(place, settingsFolder(place), ...parts);

export const CLIENT_FILES = {
  'claude-desktop': {
    title: 'Claude Desktop',
    format: 'json',
    file: inSettings('Claude', 'claude_desktop_config.json'),
    servers: 'mcpServers',
    stdio: plain,
  },
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    file: (place) => placePath(place, place.env['CLAUDE_CONFIG_DIR'] || place.home, '.claude.json'),
    servers: 'mcpServers',
    stdio: (entry) => ({ type: 'stdio', ...entry }),
    http: (entry) => ({ type: 'http', ...entry }),
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    file: inHome('.cursor', 'mcp.json'),
    servers: 'mcpServers',
    stdio: plain,
    http: plain,
  },
  vscode: {
    title: 'VS Code',
    format: 'json',
    comments: true,
    file: inSettings('Code', 'User', 'mcp.json'),
    servers: 'servers',
    stdio: (entry) => ({ type: 'stdio', ...entry }),
    http: (entry) => ({ type: 'http', ...entry }),
  },
  windsurf: {
    title: 'Windsurf',
    format: 'json',
    file: inHome('.codeium', 'windsurf', 'mcp_config.json'),
    servers: 'mcpServers',
    stdio: plain,
    http: ({ url, ...rest }) => ({ serverUrl: url, ...rest }),
  },
  zed: {
    title: 'Zed',
    format: 'json',
    comments: true,
    // On macOS, Zed does not use the application support folder.
    file: (place) =>
      place.platform === 'darwin'
        ? placePath(place, place.home, '.config', 'zed', 'settings.json')
        : placePath(
            place,
            settingsFolder(place),
            place.platform === 'win32' ? 'Zed' : 'zed',
            'settings.json',
          ),
    servers: 'context_servers',
    stdio: plain,
    http: plain,
  },
  cline: {
    title: 'Cline',
    format: 'json',
    file: (place) =>
      place.env['CLINE_MCP_SETTINGS_PATH'] ||
      inSettings(
        'Code',
        'User',
        'globalStorage',
        'saoudrizwan.claude-dev',
        'settings',
        'cline_mcp_settings.json',
      )(place),
    servers: 'mcpServers',
    stdio: plain,
    http: (entry) => ({ type: 'streamableHttp', ...entry }),
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    file: (place) =>
      placePath(place, place.env['CODEX_HOME'] || placePath(place, place.home, '.codex'), 'config.toml'),
    servers: 'mcp_servers',
    stdio: plain,
    http: ({ url, headers }) => ({ url, ...(headers && { http_headers: headers }) }),
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    format: 'json',
    comments: true,
    file: inHome('.gemini', 'settings.json'),
    servers: 'mcpServers',
    stdio: plain,
    http: ({ url, ...rest }) => ({ httpUrl: url, ...rest }),
  },
  'lm-studio': {
    title: 'LM Studio',
    format: 'json',
    file: inHome('.lmstudio', 'mcp.json'),
    servers: 'mcpServers',
    stdio: plain,
    http: plain,
  },
} as const satisfies Readonly<Record<string, McpClientFile>>;

export type ClientName = keyof typeof CLIENT_FILES;

/** Members of an entry that select the server; all others are the user's settings, such as `disabled`. */
export const CONNECTION_MEMBERS: ReadonlySet<string> = new Set([
  'args',
  'bearer_token_env_var',
  'command',
  'env',
  'headers',
  'http_headers',
  'httpUrl',
  'serverUrl',
  'type',
  'url',
]);
