import { CLIENT_FILES, type HttpEntry, type McpClientFile, type StdioEntry } from './clients.ts';
import { editClientText } from './edit-client-text.ts';

/** The text that a user pastes into an MCP client's configuration file. */
export interface ClientSnippet {
  /** The client's name for `mcp-manager install`. */
  readonly client: string;
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** Connection type: the client starts a command or uses a URL. */
  readonly transport: 'stdio' | 'http';
  /** The file's usual paths by platform, with `~` for the home folder. */
  readonly files: { readonly linux: string; readonly macos: string; readonly windows: string };
  /** The text of a file without any other settings. */
  readonly text: string;
}

/** The manager's entries for both transports. */
export interface ManagerEntries {
  readonly http: HttpEntry;
  readonly stdio: StdioEntry;
}

/** The entry's name, as with `mcp-manager install`. */
const ENTRY_NAME = 'mcp-manager';

/** Returns the snippets for all clients. Clients that only support commands get one that connects to the manager. */
export const clientSnippets = (entries: ManagerEntries): ClientSnippet[] =>
  Object.entries<McpClientFile>(CLIENT_FILES).map(([client, file]) => {
    const { title, format, http } = file;
    const entry = http ? http(entries.http) : file.stdio(entries.stdio);
    return {
      client,
      title,
      format,
      transport: http ? 'http' : 'stdio',
      files: { linux: pathOn(file, 'linux'), macos: pathOn(file, 'darwin'), windows: pathOn(file, 'win32') },
      text: editClientText('', file, { path: '', name: ENTRY_NAME, entry }),
    };
  });

const pathOn = ({ file }: McpClientFile, platform: NodeJS.Platform): string =>
  platform === 'win32'
    ? file({ platform, home: '%USERPROFILE%', env: { APPDATA: '%APPDATA%' } })
    : file({ platform, home: '~', env: {} });
