import { type Command, type Invocation, type Output, UsageError } from '../../../serve/cli/command.ts';
import { configPaths } from '../config/config-paths.ts';
import { isTable, type Table } from '../config/table-reader.ts';
import { CONFIG_OPTIONS } from './config-options.ts';
import { nameAndValue } from '../../../serve/cli/name-and-value.ts';
import { beforeDashes, exactly } from '../../../serve/cli/positionals.ts';
import type { RegistryEntry } from '../registry/entry.ts';
import { openRegistries, REGISTRY_OPTION } from './registry-option.ts';

/** `add`: adds a server from a registry, or one that the command line describes. */
export const addCommand: Command = {
  summary: 'Add a server from a registry by its ID, or any server by its command, package or URL.',
  positionals: '<name> [-- <command or arguments>]',
  options: {
    ...CONFIG_OPTIONS,
    ...REGISTRY_OPTION,
    tool: { value: 'name', help: 'Allowed tool, or pattern; "*" allows all', repeatable: true },
    env: {
      value: 'NAME=value',
      help: 'Environment variable, stored in the secrets file',
      repeatable: true,
    },
    header: {
      value: 'Name=value',
      help: 'HTTP header for --url, stored in the secrets file',
      repeatable: true,
    },
    package: { value: 'package', help: 'Package to run, e.g. npx::name@1.2.3; arguments follow after --' },
    bin: { value: 'program', help: 'Program of the package, if it does not have the name of the package' },
    with: {
      value: 'requirement',
      help: 'Further requirement of a uvx package, e.g. "mcp<2"',
      repeatable: true,
    },
    command: { value: 'command', help: 'Program to run, with its arguments, as one quoted string' },
    url: { value: 'url', help: 'URL of a remote server' },
    transport: { value: 'transport', help: 'Transport for --url', choices: ['http', 'sse'] },
    cwd: { value: 'folder', help: 'Working directory of the program' },
    lazy: { help: 'Start the server on the first call' },
    'read-only': { help: 'Allow only tools with the annotation readOnlyHint' },
    version: { value: 'version', help: 'Version to run instead of the one in the registry' },
    runtime: {
      value: 'runtime',
      help: 'Runtime to use if the registry lists several',
      choices: ['npx', 'uvx', 'docker', 'remote'],
    },
    source: { value: 'registry', help: 'Search only registries whose name contains this text' },
    'allow-deprecated': { help: 'Allow a deprecated server' },
    'pin-hash': { help: 'Record the hash of an npx package, which is then verified before each start' },
  },
  async run(invocation, output) {
    const [name] = exactly(beforeDashes(invocation), '<name>');
    const paths = configPaths(invocation, process.env);
    const start = startFromLine(invocation) ?? (await startFromRegistry(name, invocation, output));
    refuseMisplaced(invocation, 'url' in start.table);
    const table: Table = {
      ...start.table,
      ...(invocation.flag('pin-hash') ? { package_hash: await readHash(start.table) } : {}),
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
    const server = serverName(start.name ?? name);
    const moved = await writeServers([{ name: server, table, secrets }], paths);
    output.err(
      `Added ${server} to ${paths.config}.\n${requiredSteps(start.name ?? name, table, secrets.env)}`,
    );
    if (start.listed) output.err(listedSteps(server, start.listed, table, secrets.headers));
    for (const note of moved) output.err(`${note}\n`);
    return 0;
  },
};

/** Returns the hash of the package in the registry of npm. */
async function readHash({ package: written }: Table): Promise<string> {
  const [{ parsePackage }, { npmIntegrity }] = await Promise.all([
    import('../config/package-launch.ts'),
    import('../upstream/process/package-integrity.ts'),
  ]);
  const found = typeof written === 'string' ? parsePackage(written) : 'no package';
  if (typeof found === 'string' || found.runtime !== 'npx') {
    throw new UsageError(
      '--pin-hash requires an npx package. For an image, use docker::image@sha256:<digest>.',
    );
  }
  return await npmIntegrity(`${found.name}@${found.version}`, { env: process.env, timeoutMs: 60_000 });
}

interface Start {
  readonly table: Table;
  /** Tools that the registry lists for the server. */
  readonly tools: readonly string[];
  /** The name of the server, if it is not the one on the command line. */
  readonly name?: string | undefined;
  /** The entry of the registry. */
  readonly listed?: RegistryEntry | undefined;
}

function startFromLine(invocation: Invocation): Start | undefined {
  const { afterDashes } = invocation;
  const ways = ['package', 'command', 'url'].filter((name) => invocation.given(name));
  const [way] = ways;
  // After a package, the dashes separate the arguments of its server.
  if (ways.length + (afterDashes && way !== 'package' ? 1 : 0) > 1)
    throw new UsageError('--package, --command, --url and -- conflict with each other; use one of them.');
  if (way === 'url') return { table: { url: invocation.value('url') }, tools: [] };
  if (way === 'package') return { table: packageTable(invocation), tools: [] };
  if (invocation.given('bin') || invocation.given('with')) {
    throw new UsageError('--bin and --with require --package.');
  }
  const [program, ...args] = afterDashes ?? splitCommand(invocation.value('command') ?? '');
  if (way === undefined && !afterDashes) return undefined;
  if (!program) throw new UsageError('The command is empty. Specify the program to start.');
  return { table: { command: program, ...(args.length > 0 ? { args } : {}) }, tools: [] };
}

function packageTable(invocation: Invocation): Table {
  const args = invocation.afterDashes ?? [];
  const extra = invocation.values('with');
  return {
    package: invocation.value('package'),
    ...(invocation.given('bin') ? { package_bin: invocation.value('bin') } : {}),
    ...(extra.length > 0 ? { package_with: extra } : {}),
    ...(args.length > 0 ? { args } : {}),
  };
}

/** Rejects secrets that the server could not use: a remote server has no environment, a local one gets no headers. */
function refuseMisplaced(invocation: Invocation, isRemote: boolean): void {
  if (isRemote && invocation.given('env'))
    throw new UsageError('--env conflicts with --url. For a remote server, use --header.');
  if (!isRemote && invocation.given('header'))
    throw new UsageError('--header requires --url. For a local server, use --env.');
}

/** Splits a command into words; quoted parts stay together. */
function splitCommand(text: string): string[] {
  return Array.from(text.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g), ([word]) =>
    word.replaceAll(
      /"([^"]*)"|'([^']*)'/g,
      (_, double: string | undefined, single: string | undefined) => double ?? single ?? '',
    ),
  );
}

async function startFromRegistry(id: string, invocation: Invocation, output: Output): Promise<Start> {
  const [{ searchRegistry }, { findEntry, serverFromEntry }, { usableName }] = await Promise.all([
    import('../registry/search.ts'),
    import('../registry/choose-installation.ts'),
    import('../config/server-name.ts'),
  ]);
  const wanted = {
    id,
    runtime: invocation.value('runtime'),
    version: invocation.value('version'),
    allowDeprecated: invocation.flag('allow-deprecated'),
  };
  const source = invocation.value('source');
  const opened = await openRegistries(invocation, output, id);
  const entry = findEntry({ ...opened, entries: searchRegistry(opened.entries, { source }) }, wanted);
  const table = serverFromEntry(entry, wanted);
  const { package: chosen } = table;
  if (typeof chosen === 'string' && chosen.endsWith('@latest')) {
    output.err(
      `Warning: the registry lists no version of ${entry.id}, so each start can run another one. Pass --version to pin it.\n`,
    );
  }
  // The IDs of the official registry contain a slash, which names of servers cannot.
  const name = entry.id.includes('/') ? usableName(entry.id.slice(entry.id.lastIndexOf('/') + 1)) : undefined;
  return { table, tools: entry.tools, name, listed: entry };
}

function chooseTools(invocation: Invocation, known: readonly string[]): readonly string[] {
  const wanted = invocation.values('tool');
  if (wanted.length > 0) return wanted;
  if (known.length > 0) return known;
  throw new UsageError(
    'Missing option: --tool. Pass --tool <name> for each allowed tool, or --tool "*" for all.',
  );
}

/** Returns the variables in arguments of a registry, in which other dollar signs are escaped. */
const variablesIn = (args: readonly string[]): string[] => [
  ...new Set(
    args.flatMap((arg) => Array.from(arg.matchAll(/(?<!\$)\$\{(\w+)\}/g), ([, variable = '']) => variable)),
  ),
];

/** What a server of a registry needs in addition: headers, and variables in its arguments. */
function listedSteps(
  name: string,
  { remotes: [remote] }: RegistryEntry,
  table: Table,
  headers: Readonly<Record<string, string>>,
): string {
  const given = new Set(Object.keys(headers).map((header) => header.toLowerCase()));
  const missing =
    'url' in table ? (remote?.headers ?? []).filter((one) => !given.has(one.toLowerCase())) : [];
  const args = Array.isArray(table['args']) ? table['args'].map(String) : [];
  return [
    ...missing.map(
      (header) =>
        `It requires the header ${header}. Run \`mcp-manager config headers set ${name} ${header}=<value>\`.\n`,
    ),
    ...variablesIn(args).map(
      (variable) =>
        `Its arguments contain the variable ${variable} of the manager's environment. Set it before the start.\n`,
    ),
  ].join('');
}

/** Commands that the user has to run before the server can start, for the values that it requires. */
function requiredSteps(name: string, table: Table, env: Readonly<Record<string, string>>): string {
  const names = (key: string): readonly string[] => {
    const found = table[key];
    return Array.isArray(found) ? found : [];
  };
  const variables = names('required_env').filter((variable) => !env[variable]);
  const args = ['required_args', 'required_args_bool', 'required_args_positional'].flatMap((key) =>
    names(key),
  );
  return [
    ...variables.map(
      (variable) =>
        `It requires ${variable}. Run \`mcp-manager config env set ${name} ${variable}=<value>\`.\n`,
    ),
    ...Object.keys(isTable(table['volumes']) ? table['volumes'] : {}).map(
      (volume) =>
        `It requires a folder. Run \`mcp-manager config volumes set ${name} ${volume}=<folder>\`.\n`,
    ),
    ...(args.length > 0
      ? [`It requires arguments. Run \`mcp-manager config args set ${name} -- ${args.join(' ')}\`.\n`]
      : []),
  ].join('');
}
