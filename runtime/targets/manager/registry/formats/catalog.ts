import { lookup } from '#core/values/lookup.ts';
import { PACKAGE_RUNTIMES, type PackageRuntime } from '../../config/package-launch.ts';
import { isTable, type TableReader } from '../../config/table-reader.ts';
import { ARGUMENT_TYPES, type Installation, type RegistryArgument } from '../entry.ts';
import { type ListedServer, literal, plain, type RegistryFormat } from './format.ts';
import { packageProblem, splitImage, splitVersion } from './packages.ts';
import { readRuntimeOptions } from './runtime-options.ts';

/** The format of mcpd and mcpm: servers in a list, or in an object keyed by ID. Unknown keys are ignored. */
export const catalogFormat: RegistryFormat = {
  servers(document) {
    const servers = isTable(document) && 'servers' in document ? document['servers'] : document;
    return isTable(servers) || Array.isArray(servers) ? members(servers) : undefined;
  },
  readEntry(table, { id: key }, source) {
    const id = table.text('id') ?? (key || table.text('name')) ?? '';
    if (id === '') table.report('id is missing.');
    const read = readInstallations(table.table('installations'));
    const installations = read.filter((one) => typeof one !== 'string');
    if (installations.length === 0) {
      const reason = read.find((one) => typeof one === 'string');
      table.report(reason ?? `it has no installation for ${PACKAGE_RUNTIMES.join(', ')}.`);
    }
    const inArgs = new Set(installations.flatMap(({ args }) => args.flatMap(variablesIn)));
    const required = readArguments(table.table('arguments'));
    return {
      id,
      name: table.text('display_name') ?? table.text('name') ?? id,
      description: plain(table.any('description')),
      license: plain(table.any('license')),
      categories: table.texts('categories') ?? [],
      tags: table.texts('tags') ?? [],
      isOfficial: table.flag('isOfficial') ?? table.flag('is_official') ?? false,
      deprecated: table.flag('deprecated') ?? false,
      tools: members(table.any('tools')).map((tool, index) => toolName(table, tool, index)),
      installations: installations.map((one) => ({ ...one, args: withoutOptional(one.args, required) })),
      remotes: [],
      // Variables in arguments are read from the manager's environment, not the server's.
      arguments: required.filter(({ name }) => !inArgs.has(name)),
      source,
    };
  },
};

function toolName(table: TableReader, { value }: ListedServer, index: number): string {
  if (isTable(value)) return plain(value['name']);
  table.report(`tool ${index + 1} must be an object, not ${JSON.stringify(value)}.`);
  return '';
}

/** Parses the installations; for an unusable one, returns an explanation. */
function readInstallations(table: TableReader | undefined): (Installation | string)[] {
  return (table?.keys() ?? []).flatMap((key): (Installation | string)[] => {
    const installation = table?.table(key);
    const runtime = installation && runtimeOf(key, installation);
    // Registries also list runtimes that this program does not support.
    if (!installation || !runtime) return [];
    const found = readPackage(installation, runtime);
    if (typeof found === 'string') return [`its installation for ${key} ${found}.`];
    const problem = packageProblem(runtime, found.package, found.version);
    if (problem !== undefined) return [problem];
    const recommended = installation.flag('recommended') ?? false;
    return [{ runtime, volumes: {}, ...found, recommended }];
  });
}

const RUNTIMES = lookup<PackageRuntime>({
  npx: 'npx',
  npm: 'npx',
  uvx: 'uvx',
  docker: 'docker',
});

/** Returns an installation's runtime: its command in mcpm files, otherwise its key. */
function runtimeOf(key: string, installation: TableReader): PackageRuntime | undefined {
  const name = plain(installation.any('command')) || key;
  return RUNTIMES[name];
}

type ReadPackage = Omit<Installation, 'runtime' | 'recommended' | 'volumes'>;

/**
 * Parses the package, or extracts it from the command's arguments, where mcpm files have it. Returns an
 * explanation if it cannot be used: unsupported options could change what runs.
 */
function readPackage(installation: TableReader, runtime: PackageRuntime): ReadPackage | string {
  const version = installation.text('version');
  const name = installation.text('package');
  if (name !== undefined && installation.any('args') === undefined) {
    return { package: name, version: version ?? 'latest', args: [] };
  }
  const args = installation.texts('args') ?? [];
  const { unsupported, env, extra, bin, rest, ...options } = readRuntimeOptions(runtime, args);
  if (unsupported.length > 0) return `has options that are not supported: ${unsupported.join(', ')}`;
  if (options.package === undefined) return 'names no package';
  const found = runtime === 'docker' ? splitImage(options.package) : splitVersion(options.package);
  return {
    package: name ?? found.name,
    version: version ?? found.version ?? 'latest',
    args: rest.map(withVariables),
    ...(bin !== undefined && { bin }),
    ...(extra.length > 0 && { with: extra }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(Object.keys(options.volumes).length > 0 && { volumes: options.volumes }),
  };
}

const VARIABLE = /\$\{(\w+)\}/g;
const variablesIn = (text: string): string[] => Array.from(text.matchAll(VARIABLE), ([, name = '']) => name);

/** Keeps `${NAME}` variables, and escapes all other dollar signs. */
const withVariables = (text: string): string => literal(text).replaceAll(/\$\$(?=\{\w+\})/g, '$');

/** Removes arguments with optional variables, because an unset variable is an error. */
const withoutOptional = (args: readonly string[], all: readonly RegistryArgument[]): string[] =>
  args.filter((arg) =>
    variablesIn(arg).every((name) => all.some((one) => one.name === name && one.required)),
  );

function readArguments(table: TableReader | undefined): RegistryArgument[] {
  return (table?.keys() ?? []).map((name) => {
    const argument = table?.table(name);
    return {
      name,
      type: argument?.choice('type', ARGUMENT_TYPES) ?? 'environment',
      required: argument?.flag('required') ?? false,
      description: plain(argument?.any('description')),
    };
  });
}

/** Returns an object's members with their keys, and list members with empty keys. */
function members(value: unknown): ListedServer[] {
  if (Array.isArray(value)) return value.map((member: unknown): ListedServer => ({ id: '', value: member }));
  return isTable(value) ? Object.entries(value).map(([id, member]) => ({ id, value: member })) : [];
}
