import { type Command, type Invocation, UsageError } from '../../../serve/cli/command.ts';
import { configPaths } from '../config/config-paths.ts';
import type { Table } from '../config/table-reader.ts';
import { CONFIG_OPTIONS } from './config-options.ts';
import { nameAndValue } from '../../../serve/cli/name-and-value.ts';
import { beforeDashes, exactly } from '../../../serve/cli/positionals.ts';
import { REGISTRY_OPTION } from './registry-option.ts';

/** `add`: a server from a registry, or started the way the command line says. */
export const addCommand: Command = {
  summary: 'Add a server: a known one by its name, or any by how it is started.',
  positionals: '<name> [-- <command> [arguments]]',
  options: {
    ...CONFIG_OPTIONS,
    ...REGISTRY_OPTION,
    tool: { value: 'name', help: 'A tool that may be called, or a pattern; "*" is all', repeatable: true },
    env: { value: 'NAME=value', help: 'A variable; it goes into the secrets file', repeatable: true },
    header: {
      value: 'Name=value',
      help: 'A header for --url; it goes into the secrets file',
      repeatable: true,
    },
    package: { value: 'package', help: 'Start a package, as npx::name@1.2.3' },
    command: { value: 'command', help: 'Start a program, with its arguments in one text' },
    url: { value: 'url', help: 'Use a server that runs elsewhere' },
    transport: { value: 'transport', help: 'How to talk to --url', choices: ['http', 'sse'] },
    cwd: { value: 'folder', help: 'The folder a program runs in' },
    lazy: { help: 'Start it only when it is first called' },
    'read-only': { help: 'Offer only tools that say they change nothing' },
    version: { value: 'version', help: 'Of a known server: another version than the registry names' },
    runtime: {
      value: 'runtime',
      help: 'Of a known server: how to run it',
      choices: ['npx', 'uvx', 'docker'],
    },
    source: { value: 'registry', help: 'Of a known server: the registry whose name holds this text' },
    'allow-deprecated': { help: 'Also a known server that is deprecated' },
  },
  async run(invocation, output) {
    const [name] = exactly(beforeDashes(invocation), '<name>');
    const paths = configPaths(invocation, process.env);
    const start = startFromLine(invocation) ?? (await startFromRegistry(name, invocation));
    refuseMisplaced(invocation, 'url' in start.table);
    const table: Table = {
      ...start.table,
      tools: chooseTools(invocation, start.tools),
      ...(invocation.given('transport') ? { transport: invocation.value('transport') } : {}),
      ...(invocation.given('cwd') ? { cwd: invocation.value('cwd') } : {}),
      ...(invocation.flag('lazy') ? { lazy: true } : {}),
      ...(invocation.flag('read-only') ? { read_only: true } : {}),
    };
    const secrets = {
      env: Object.fromEntries(invocation.values('env').map((text) => nameAndValue(text))),
      headers: Object.fromEntries(invocation.values('header').map((text) => nameAndValue(text))),
    };
    const { writeServers } = await import('../config-edit/write-server.ts');
    const { serverName } = await import('../config/server-name.ts');
    const moved = await writeServers([{ name: serverName(name), table, secrets }], paths);
    output.err(`Added ${serverName(name)} to ${paths.config}.\n${stillNeeded(name, table, secrets.env)}`);
    for (const note of moved) output.err(`${note}\n`);
    return 0;
  },
};

interface Start {
  readonly table: Table;
  /** Those it is known to have. */
  readonly tools: readonly string[];
}

function startFromLine(invocation: Invocation): Start | undefined {
  const { afterDashes } = invocation;
  const ways = ['package', 'command', 'url'].filter((name) => invocation.given(name));
  if (ways.length + (afterDashes ? 1 : 0) > 1)
    throw new UsageError(
      'A server is started in one way: give only one of --package, --command, --url and --.',
    );
  const [program, ...args] = afterDashes ?? splitCommand(invocation.value('command') ?? '');
  const [way] = ways;
  if (way === 'package' || way === 'url') return { table: { [way]: invocation.value(way) }, tools: [] };
  if (way === undefined && !afterDashes) return undefined;
  if (!program) throw new UsageError('The command is empty. Name the program that is to be started.');
  return { table: { command: program, ...(args.length > 0 ? { args } : {}) }, tools: [] };
}

/** What the secrets file would hold of it and the server have no use for. */
function refuseMisplaced(invocation: Invocation, isRemote: boolean): void {
  if (isRemote && invocation.given('env'))
    throw new UsageError('--env is for a server that is started here; --url takes --header.');
  if (!isRemote && invocation.given('header')) throw new UsageError('--header goes with --url; use --env.');
}

/** Words, with those in quotes kept together. */
function splitCommand(text: string): string[] {
  return Array.from(text.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g), ([word]) =>
    word.replaceAll(
      /"([^"]*)"|'([^']*)'/g,
      (_, double: string | undefined, single: string | undefined) => double ?? single ?? '',
    ),
  );
}

async function startFromRegistry(id: string, invocation: Invocation): Promise<Start> {
  const [{ openRegistry }, { searchRegistry }, { findEntry, serverFromEntry }] = await Promise.all([
    import('../registry/open-registry.ts'),
    import('../registry/search.ts'),
    import('../registry/choose-installation.ts'),
  ]);
  const wanted = {
    id,
    runtime: invocation.value('runtime'),
    version: invocation.value('version'),
    allowDeprecated: invocation.flag('allow-deprecated'),
  };
  const source = invocation.value('source');
  const entries = searchRegistry(await openRegistry(invocation.values('registry')), { source });
  const entry = findEntry(entries, wanted);
  return { table: serverFromEntry(entry, wanted), tools: entry.tools };
}

function chooseTools(invocation: Invocation, known: readonly string[]): readonly string[] {
  const wanted = invocation.values('tool');
  if (wanted.length > 0) return wanted;
  if (known.length > 0) return known;
  throw new UsageError('Which tools may be called? Name each with --tool, or write --tool "*" for all.');
}

/** What has to be said before the server can start. */
function stillNeeded(name: string, table: Table, env: Readonly<Record<string, string>>): string {
  const names = (key: string): readonly string[] => {
    const found = table[key];
    return Array.isArray(found) ? found : [];
  };
  const variables = names('required_env').filter((variable) => !env[variable]);
  const args = ['required_args', 'required_args_bool', 'required_args_positional'].flatMap((key) =>
    names(key),
  );
  return [
    ...variables.map((variable) => `It needs \`mcp-manager config env set ${name} ${variable}=<value>\`.\n`),
    ...(args.length > 0 ? [`It needs \`mcp-manager config args set ${name} -- ${args.join(' ')}\`.\n`] : []),
  ].join('');
}
