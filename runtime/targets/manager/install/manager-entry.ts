import { resolve } from 'node:path';
import { mcpPath, type Selection } from '../access/selection.ts';
import type { HttpEntry, StdioEntry } from './clients.ts';

/** The flags of the command line that a client must repeat. */
export interface ManagerEntryOptions {
  /** The program and its first arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  readonly selection: Selection;
  readonly group: string | undefined;
  readonly apiKey: string | undefined;
}

interface StdioOptions extends ManagerEntryOptions {
  readonly config: string;
  /** The secrets file and the address, if given on the command line. */
  readonly runtimeFile: string | undefined;
  readonly url: string | undefined;
  readonly apiKeyFile: string | undefined;
}

/**
 * The entry for a client that starts `mcp-manager stdio`. Paths are absolute, because clients start commands
 * in any folder.
 */
export function stdioEntry(options: StdioOptions): StdioEntry {
  const { command, selection, group, apiKey, apiKeyFile } = options;
  const [program, ...first] = command;
  const flags = {
    config: resolve(options.config),
    'runtime-file': options.runtimeFile && resolve(options.runtimeFile),
    url: options.url,
    'api-key-file': apiKeyFile && resolve(apiKeyFile),
    group,
    servers: selection.servers.join(','),
    tools: selection.tools.join(','),
  };
  const args = Object.entries(flags).flatMap(([name, value]) => (value ? [`--${name}`, value] : []));
  return {
    command: program,
    args: [...first, 'stdio', ...args],
    // A key on the command line would be visible in the process list.
    ...(apiKey !== undefined && { env: { MCP_MANAGER_API_KEY: apiKey } }),
  };
}

/** The entry for a client that connects to a running manager. */
export const httpEntry = (
  address: URL,
  { selection, group, apiKey }: Omit<ManagerEntryOptions, 'command'>,
): HttpEntry => ({
  url: new URL(mcpPath(selection, group), address).href,
  ...(apiKey !== undefined && { headers: { Authorization: `Bearer ${apiKey}` } }),
});
