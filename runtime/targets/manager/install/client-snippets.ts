import { CLIENT_FILES, type HttpEntry, type McpClientFile, type StdioEntry } from './clients.ts';
import { editClientText } from './edit-client-text.ts';

/** What a person pastes into the file of an MCP client. */
export interface ClientSnippet {
  /** The name for `mcp-manager install`. */
  readonly client: string;
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** How the client connects: it starts a command, or uses a URL. */
  readonly transport: 'stdio' | 'http';
  /** The usual paths of the file by platform, with `~` for the home folder. */
  readonly files: { readonly linux: string; readonly macos: string; readonly windows: string };
  /** The text of a file that has nothing else. */
  readonly text: string;
}

/** The entries of the manager for both transports. */
export interface ManagerEntries {
  readonly http: HttpEntry;
  readonly stdio: StdioEntry;
}

/** The name of the entry, as with `mcp-manager install`. */
const ENTRY_NAME = 'mcp-manager';

/** Returns the snippets for all clients. Clients that only start commands get a command that connects to the manager. */
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
