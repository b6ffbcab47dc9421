import { type Command, type Invocation, type Output, UsageError } from '#serve/cli/command.ts';
import { EXIT_FAILED } from '#serve/errors/exit-code.ts';
import { stopSignal } from '#serve/program/signals.ts';
import { type ConfigPaths, configPaths } from '../config/config-paths.ts';
import type { TomlTable } from '../config/table-reader.ts';
import { CONFIG_OPTIONS } from './config-options.ts';
import { nameAndValue } from '#serve/cli/values.ts';
import { printableMessages } from '#serve/cli/terminal.ts';
import { beforeDashes, exactly } from '#serve/cli/positionals.ts';
import { apiFromLine, OPENAPI_OPTIONS } from './add-openapi.ts';
import { listedSteps, requiredSteps } from './add-steps.ts';
import { REGISTRY_OPTION, openRegistries } from './registry-option.ts';
import type { ChosenServer } from '../registry/choose-installation.ts';

/** `add`: adds a server from a registry or from the command line. */
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
    package: { value: 'package', help: 'Package to run, e.g. npx::name@1.2.3; arguments come after --' },
    bin: { value: 'program', help: 'Program in the package, if its name differs from the package name' },
    with: {
      value: 'requirement',
      help: 'Additional requirement for a uvx package, e.g. "mcp<2"',
      repeatable: true,
    },
    command: { value: 'command', help: 'Program to run, with its arguments, as one quoted string' },
    url: { value: 'url', help: 'URL of a remote server' },
    ...OPENAPI_OPTIONS,
    transport: { value: 'transport', help: 'Transport for --url', choices: ['http', 'sse'] },
    cwd: { value: 'folder', help: 'Working directory of the program' },
    lazy: { help: 'Start the server on the first call' },
    'read-only': { help: 'Allow only tools with the annotation readOnlyHint' },
    var: {
      value: 'name=value',
      help: 'Value for a variable in a registry URL',
      repeatable: true,
    },
    version: { value: 'version', help: 'Version to run instead of the one in the registry' },
    runtime: {
      value: 'runtime',
      help: 'Runtime to use if the registry lists several',
      choices: ['npx', 'uvx', 'docker', 'remote'],
    },
    source: { value: 'registry', help: 'Search only registries whose name contains this text' },
    'allow-deprecated': { help: 'Allow a deprecated server' },
    install: { help: 'Install the package immediately, and report the cause if the installation fails' },
    'pin-hash': { help: 'Record the hash of an npx package and verify it before each start' },
  },
  async run(invocation, stdio) {
    const output = printableMessages(stdio);
    const [name] = exactly(beforeDashes(invocation), '<name>');
    const paths = configPaths(invocation, process.env);
    const described = await startFromLine(invocation, name, paths);
    if (described && invocation.given('var'))
      throw new UsageError('--var requires a server from a registry.');
    const start = described ?? (await startFromRegistry(name, invocation, output));
    refuseMisplaced(invocation, 'url' in start.table || 'openapi' in start.table);
    const table: TomlTable = {
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
      credentials: Object.fromEntries(
        invocation.values('credential').map((text) => nameAndValue(text, '--credential')),
      ),
    };
    const { writeServers } = await import('../config-edit/write-server.ts');
    const { serverName } = await import('../config/server-name.ts');
    const server = serverName(start.name ?? name);
    const { secretUrl } = start.listed ?? {};
    const moved = await writeServers([{ name: server, table, secrets, secretUrl }], paths);
    output.err(
      `Added ${server} to ${paths.config}.\n${requiredSteps(start.name ?? name, table, secrets.env)}`,
    );
    for (const note of start.notes ?? []) output.err(`${note}\n`);
    if (start.listed) output.err(listedSteps(server, start.listed, table, secrets.headers));
    for (const note of moved) output.err(`${note}\n`);
    return invocation.flag('install') ? await installServer(server, paths, output) : 0;
  },
};

/** Installs the server's package. If that fails, the server stays in the configuration: the manager tries again. */
async function installServer(name: string, paths: ConfigPaths, output: Output): Promise<number> {
  const [{ readConfig }, { createRedactor }, { failureLines, openCommandInstaller }] = await Promise.all([
    import('../config/read-config.ts'),
    import('#serve/redact.ts'),
    import('./install-packages.ts'),
  ]);
  const config = await readConfig(paths, process.env, { keepsUnusable: true });
  const spec = config.servers.find((one) => one.name === name);
  const launch = spec?.launch.kind === 'unusable' ? spec.launch.package : spec?.launch;
  if (!spec || launch?.kind !== 'process' || !launch.installation) {
    output.err(`${name} has no package to install.\n`);
    return 0;
  }
  const redact = createRedactor(config.secrets);
  const { signal, forget } = stopSignal();
  const installer = openCommandInstaller(output, redact, signal);
  try {
    await installer.install(spec, launch);
    output.err(`Installed ${launch.installation.label}.\n`);
    return 0;
  } catch (error) {
    output.err(`Error: ${redact.text(failureLines(error).join('\n'), name)}\n`);
    return EXIT_FAILED;
  } finally {
    await installer.close();
    forget();
  }
}

/** Returns the package's hash in the npm registry. */
async function readHash({ package: written }: TomlTable): Promise<string> {
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

async function startFromLine(
  invocation: Invocation,
  name: string,
  paths: ConfigPaths,
): Promise<Start | undefined> {
  const { afterDashes } = invocation;
  const ways = ['package', 'command', 'url', 'openapi'].filter((name) => invocation.given(name));
  const [way] = ways;
  // After a package, `--` separates the server's arguments.
  if (ways.length + (afterDashes && way !== 'package' ? 1 : 0) > 1)
    throw new UsageError(
      '--package, --command, --url, --openapi and -- conflict with each other; use one of them.',
    );
  if (way === 'openapi') return { ...(await apiFromLine(name, invocation, paths)), tools: [] };
  for (const option of ['base-url', 'include', 'exclude', 'credential']) {
    if (invocation.given(option)) throw new UsageError(`--${option} requires --openapi.`);
  }
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

function packageTable(invocation: Invocation): TomlTable {
  const args = invocation.afterDashes ?? [];
  const extra = invocation.values('with');
  return {
    package: invocation.value('package'),
    ...(invocation.given('bin') ? { package_bin: invocation.value('bin') } : {}),
    ...(extra.length > 0 ? { package_with: extra } : {}),
    ...(args.length > 0 ? { args } : {}),
  };
}

/**
 * Rejects secrets that the server could not use: remote servers have no environment, and local servers
 * receive no headers.
 */
function refuseMisplaced(invocation: Invocation, isRemote: boolean): void {
  if (isRemote && invocation.given('env'))
    throw new UsageError('--env conflicts with --url. For a remote server, use --header.');
  if (!isRemote && invocation.given('header'))
    throw new UsageError('--header requires --url or --openapi. For a local server, use --env.');
}

/** Splits a command line into words; quoted parts stay together. */
function splitCommand(text: string): string[] {
  return Array.from(text.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g), ([word]) =>
    word.replaceAll(
      /"([^"]*)"|'([^']*)'/g,
      (_, double: string | undefined, single: string | undefined) => double ?? single ?? '',
    ),
  );
}

function chooseTools(invocation: Invocation, known: readonly string[]): readonly string[] {
  const wanted = invocation.values('tool');
  if (wanted.length > 0) return wanted;
  if (known.length > 0) return known;
  throw new UsageError(
    'Missing option: --tool. Pass --tool <name> for each allowed tool, or --tool "*" for all.',
  );
}

/** The settings for starting a server, from the command line or from a registry. */
interface Start {
  readonly table: TomlTable;
  /** Tools that the registry lists for the server. */
  readonly tools: readonly string[];
  /** The server name, if it differs from the name on the command line. */
  readonly name?: string | undefined;
  /** What the user should know about the server. */
  readonly notes?: readonly string[] | undefined;
  /** The registry's entry. */
  readonly listed?: ChosenServer | undefined;
}

/** Looks up a server in the registries. */
async function startFromRegistry(id: string, invocation: Invocation, output: Output): Promise<Start> {
  const [{ searchRegistry }, { findEntry, serverFromEntry }, { usableName }] = await Promise.all([
    import('../registry/search.ts'),
    import('../registry/choose-installation.ts'),
    import('../config/server-name.ts'),
  ]);
  const wanted = {
    id,
    variables: Object.fromEntries(invocation.values('var').map((text) => nameAndValue(text, '--var'))),
    runtime: invocation.value('runtime'),
    version: invocation.value('version'),
    allowDeprecated: invocation.flag('allow-deprecated'),
  };
  const source = invocation.value('source');
  const opened = await openRegistries(invocation, output, id);
  const entry = findEntry({ ...opened, entries: searchRegistry(opened.entries, { source }) }, wanted);
  const listed = serverFromEntry(entry, wanted);
  const { table } = listed;
  const { package: chosen } = table;
  for (const note of listed.notes) output.err(`${note}\n`);
  if (typeof chosen === 'string' && chosen.endsWith('@latest')) {
    output.err(
      `Warning: the registry lists no version of ${entry.id}, so each start can run a different version. Pass --version to pin one.\n`,
    );
  }
  // Official registry IDs contain a slash, which server names cannot.
  const name = entry.id.includes('/') ? usableName(entry.id.slice(entry.id.lastIndexOf('/') + 1)) : undefined;
  return { table, tools: entry.tools, name, listed };
}
