import { suggest } from '#core/text/suggest.ts';
import { homeFolder } from '#platform/files/home-folder.ts';
import { ownCommand } from '#platform/own-command.ts';
import { type Command, type Invocation, type Output, UsageError } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { configPaths } from '../config/config-paths.ts';
import { CLIENT_FILES, type ClientName, type McpClientFile } from '../install/clients.ts';
import type { EditedClient } from '../install/install-client.ts';
import { SELECTION_OPTIONS, STDIO_OPTIONS } from '../servers/stdio-options.ts';
import { addressOf, DAEMON_CLIENT_OPTIONS } from './client-options.ts';

const MAIN = new URL('../main.ts', import.meta.url);

/** `install`: adds the manager to an MCP client's configuration file. */
export const installCommand: Command = {
  summary: `Configure an MCP client to use the manager: ${Object.keys(CLIENT_FILES).join(', ')}.`,
  positionals: '<client>',
  options: {
    ...DAEMON_CLIENT_OPTIONS,
    'api-key': { value: 'key', help: 'API key to write to the file; prefer --api-key-file' },
    'api-key-file': { ...STDIO_OPTIONS['api-key-file'], help: 'File containing the API key' },
    ...SELECTION_OPTIONS,
    transport: {
      value: 'transport',
      help: 'How the client connects: by starting `mcp-manager stdio`, or through the URL of a running manager',
      choices: ['stdio', 'http'],
      fallback: 'stdio',
    },
    name: { value: 'name', help: 'Name of the entry in the file', fallback: 'mcp-manager' },
    command: { value: 'program', help: 'Program that the client starts', defaultText: 'this program' },
    path: { value: 'file', help: 'File to edit', defaultText: "this user's file for the client" },
    'dry-run': { help: 'Print the change as a diff without writing the file' },
    uninstall: { help: 'Remove the entry' },
  },
  async run(invocation, output) {
    const [named] = exactly(invocation, '<client>');
    const client = clientNamed(named);
    const path = invocation.value('path') ?? defaultFile(client);
    const name = invocation.value('name') ?? '';
    const dryRun = invocation.flag('dry-run');
    const entry = invocation.flag('uninstall') ? undefined : await entryFor(invocation, client);
    const { editClientFile } = await import('../install/install-client.ts');
    const edited = await editClientFile(client, { path, name, entry, dryRun, now: new Date() });
    report(output, edited, { client, path, name, dryRun, removes: entry === undefined });
    return 0;
  },
};

function clientNamed(name: string): McpClientFile {
  const names = Object.keys(CLIENT_FILES);
  const known = names.find((one): one is ClientName => one === name);
  if (known !== undefined) return CLIENT_FILES[known];
  const meant = suggest(name, names);
  const wayOut = meant === undefined ? `Clients: ${names.join(', ')}.` : `Did you mean ${meant}?`;
  throw new UsageError(`Unknown client ${JSON.stringify(name)}. ${wayOut}`);
}

function defaultFile({ title, file }: McpClientFile): string {
  const home = homeFolder();
  if (home !== undefined) return file({ platform: process.platform, home, env: process.env });
  throw new UsageError(
    `Cannot find the configuration file of ${title}, because the user has no home folder. Pass the file with --path.`,
  );
}

async function entryFor(invocation: Invocation, client: McpClientFile): Promise<object> {
  const { readApiKey, readSelection } = await import('../servers/stdio-settings.ts');
  const { httpEntry, stdioEntry } = await import('../install/manager-entry.ts');
  const selection = readSelection(invocation);
  const group = invocation.value('group');
  const apiKey = invocation.given('api-key') ? invocation.value('api-key') : undefined;
  const apiKeyFile = apiKey === undefined ? invocation.value('api-key-file') : undefined;
  if (invocation.value('transport') === 'http') {
    if (!client.http)
      throw new UsageError(
        `${client.title} can only start commands, not connect to a URL. Omit --transport.`,
      );
    const key = apiKeyFile === undefined ? apiKey : await readApiKey(invocation);
    return client.http(httpEntry(await addressOf(invocation), { selection, group, apiKey: key }));
  }
  const program = invocation.value('command');
  return client.stdio(
    stdioEntry({
      command: program === undefined ? ownCommand(MAIN) : [program],
      config: configPaths(invocation, process.env).config,
      runtimeFile: invocation.value('runtime-file'),
      url: invocation.value('url'),
      selection,
      group,
      apiKey,
      apiKeyFile,
    }),
  );
}

interface Reported {
  readonly client: McpClientFile;
  readonly path: string;
  readonly name: string;
  readonly dryRun: boolean;
  readonly removes: boolean;
}

function report(output: Output, { diff, backup, warnings }: EditedClient, edit: Reported): void {
  const { client, path, name, dryRun, removes } = edit;
  for (const warning of warnings) output.err(`Warning: ${warning}\n`);
  if (diff === '') {
    output.err(removes ? `${path} does not contain ${name}.\n` : `${path} is already up to date.\n`);
  } else if (dryRun) output.out(diff);
  else {
    output.err(`${removes ? `Removed ${name} from` : `Added ${name} to`} ${path}.\n`);
    if (backup !== undefined) output.err(`The previous file was saved as ${backup}.\n`);
    output.err(`Restart ${client.title}.\n`);
  }
}
