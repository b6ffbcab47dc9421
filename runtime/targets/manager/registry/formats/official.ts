import { lookup } from '#core/values/lookup.ts';
import { PACKAGE_RUNTIMES, type PackageRuntime } from '../../config/package-launch.ts';
import { isTable, type TableReader } from '../../config/table-reader.ts';
import type { Installation, RegistryArgument, RegistryEntry, RemoteEndpoint, UrlVariable } from '../entry.ts';
import { type ListedServer, literal, plain, type RegistryFormat, tablesIn } from './format.ts';
import { packageProblem, splitImage } from './packages.ts';
import {
  changesWhatRuns,
  isSamePackage,
  readRuntimeOptions,
  type RuntimeOptions,
  takesValue,
} from './runtime-options.ts';
import { variablesOfUrl } from '../fill-url.ts';

/**
 * The MCP registry's format: a `server.json`, or a `/v0/servers` response with a list of them.
 * @see https://github.com/modelcontextprotocol/registry/tree/main/docs/reference
 */
export const officialFormat: RegistryFormat = {
  servers(document) {
    if (!isTable(document)) return undefined;
    const { servers } = document;
    if (Array.isArray(servers) && servers.length > 0 && servers.every((one) => isServerJson(serverIn(one)))) {
      return servers.filter(isCurrent).map(listed);
    }
    return isServerJson(serverIn(document)) ? [listed(document)] : undefined;
  },
  readEntry(table, { id }, source) {
    const { packages, problems } = readPackages(table);
    const read = tablesIn(table, 'remotes').map((one) => readRemote(one, isRequired));
    const remotes = read.filter((one) => typeof one !== 'string');
    if (packages.length === 0 && remotes.length === 0) {
      const reasons = [...problems, ...read.filter((one) => typeof one === 'string')];
      table.report(reasons[0] ?? 'it has no packages and no remote URL.');
    }
    const status = plain(table.any('status'));
    return {
      id,
      name: plain(table.any('title')) || id,
      description: plain(table.any('description')),
      license: '',
      categories: [],
      tags: [],
      isOfficial:
        id.startsWith('io.modelcontextprotocol/') || id.startsWith('io.github.modelcontextprotocol/'),
      deprecated: status === 'deprecated',
      tools: [],
      installations: packages.map((one) => ({ ...one.installation, arguments: one.arguments })),
      remotes,
      arguments: packages[0]?.arguments ?? [],
      source,
    } satisfies RegistryEntry;
  },
};

const META = 'io.modelcontextprotocol.registry/official';

/** List items are `{server, _meta}`; older lists, and files, contain the server itself. */
const serverIn = (item: unknown): unknown =>
  isTable(item) && isTable(item['server']) ? item['server'] : item;

const isServerJson = (value: unknown): boolean =>
  isTable(value) &&
  typeof value['name'] === 'string' &&
  value['name'].includes('/') &&
  (Array.isArray(value['packages']) ||
    Array.isArray(value['remotes']) ||
    'version_detail' in value ||
    'version' in value);

function officialMeta(item: unknown): Readonly<Record<string, unknown>> {
  const meta = isTable(item) && isTable(item['_meta']) ? item['_meta'][META] : undefined;
  return isTable(meta) ? meta : {};
}

/** Whether an item is the latest version of its server and not deleted. */
function isCurrent(item: unknown): boolean {
  const { status, isLatest } = officialMeta(item);
  return status !== 'deleted' && isLatest !== false;
}

function listed(item: unknown): ListedServer {
  const server = serverIn(item);
  const { status } = officialMeta(item);
  const value = isTable(server) && status !== undefined ? { ...server, status } : server;
  return { id: isTable(server) ? plain(server['name']) : '', value };
}

interface ReadPackage {
  readonly installation: Installation;
  readonly arguments: readonly RegistryArgument[];
}

const RUNTIMES = lookup<PackageRuntime>({
  npm: 'npx',
  pypi: 'uvx',
  oci: 'docker',
  docker: 'docker',
});

/** Parses the usable packages. A server can also have package kinds that this program does not support. */
function readPackages(table: TableReader): { packages: ReadPackage[]; problems: string[] } {
  const problems: string[] = [];
  const serverVersion = plain(table.any('version')) || plain(table.table('version_detail')?.any('version'));
  const packages = tablesIn(table, 'packages').flatMap((one): ReadPackage[] => {
    const read = readPackage(one, serverVersion);
    if (typeof read !== 'string') return [read];
    problems.push(read);
    return [];
  });
  return { packages, problems };
}

/** Parses a package; returns an explanation if it cannot be used. */
function readPackage(table: TableReader, serverVersion: string): ReadPackage | string {
  const type = plain(table.any('registryType') ?? table.any('registry_type') ?? table.any('registry_name'));
  const runtime = RUNTIMES[type];
  if (!runtime)
    return `packages of the type ${JSON.stringify(type)} are not supported; use ${PACKAGE_RUNTIMES.join(', ')}.`;
  const transport = table.table('transport')?.any('type') ?? 'stdio';
  if (transport !== 'stdio') return `its package uses the transport ${JSON.stringify(transport)}, not stdio.`;
  const identifier = plain(table.any('identifier') ?? table.any('name'));
  const image = runtime === 'docker' ? splitImage(identifier) : { name: identifier, version: undefined };
  // An image's identifier contains its exact digest or tag.
  const version = image.version ?? (plain(table.any('version')) || serverVersion);
  const problem = packageProblem(runtime, image.name, version);
  if (problem !== undefined) return problem;
  const options = readPackageOptions(list(table, 'runtimeArguments', 'runtime_arguments'), {
    runtime,
    hint: plain(table.any('runtimeHint') ?? table.any('runtime_hint')),
    identifier: image.name,
    isRequired,
  });
  if (typeof options === 'string') return options;
  const args = list(table, 'packageArguments', 'package_arguments').map(readArgument);
  const listed = list(table, 'environmentVariables', 'environment_variables');
  const variables = listed
    .filter((variable) => !hasValue(variable))
    .map((variable) =>
      environment(plain(variable.any('name')), isRequired(variable), plain(variable.any('description'))),
    );
  const fixed = listed
    .filter(hasValue)
    .map((variable) => [plain(variable.any('name')), plain(variable.any('value'))] as const);
  const isUsed = ([name]: readonly [string, string]): boolean => !changesWhatRuns(name);
  const env = {
    ...options.env,
    ...Object.fromEntries(fixed.filter(isUsed).map(([name, value]) => [name, literal(value)])),
  };
  const ignored = [
    ...options.unsupported,
    ...fixed.filter((one) => !isUsed(one)).map(([name, value]) => `${name}=${value}`),
  ];
  const open = options.openEnv.filter((name) => !listed.some((one) => one.any('name') === name));
  return {
    installation: {
      runtime,
      package: image.name,
      version,
      recommended: false,
      args: [...options.rest.map(literal), ...args.flatMap((one) => one.fixed)],
      volumes: options.volumes,
      ...(options.bin !== undefined && { bin: options.bin }),
      ...(options.extra.length > 0 && { with: options.extra }),
      ...(Object.keys(env).length > 0 && { env }),
      ...(ignored.length > 0 && { ignored: { program: options.program, options: ignored } }),
    },
    arguments: [
      ...variables,
      ...open.map((name) => environment(name, true, '')),
      ...args.flatMap((one) => one.open),
    ],
  };
}

const list = (table: TableReader, key: string, oldKey: string): TableReader[] => [
  ...tablesIn(table, key),
  ...tablesIn(table, oldKey),
];

const isRequired = (table: TableReader): boolean =>
  (table.any('isRequired') ?? table.any('is_required')) === true;

/** Whether the registry provides a value without variables. */
function hasValue(table: TableReader): boolean {
  const value = plain(table.any('value'));
  return value !== '' && !/\{\w+\}/.test(value);
}

const environment = (name: string, required: boolean, description: string): RegistryArgument => ({
  name,
  type: 'environment',
  required,
  description,
});

interface ReadArgument {
  /** The argument, if the registry provides its value. */
  readonly fixed: readonly string[];
  /** The argument, if the user must provide its value. */
  readonly open: readonly RegistryArgument[];
}

function readArgument(table: TableReader): ReadArgument {
  const name = plain(table.any('name'));
  const isNamed = table.any('type') === 'named';
  if (hasValue(table)) {
    const value = literal(plain(table.any('value')));
    return { fixed: isNamed ? [`${literal(name)}=${value}`] : [value], open: [] };
  }
  const description = plain(table.any('description'));
  const shown = isNamed ? name : plain(table.any('valueHint') ?? table.any('value_hint')) || 'value';
  const type = isNamed
    ? table.any('format') === 'boolean'
      ? 'argument_bool'
      : 'argument'
    : 'argument_positional';
  return { fixed: [], open: [{ name: shown, type, required: isRequired(table), description }] };
}

const TRANSPORTS = new Set(['streamable-http', 'streamable', 'http', 'sse']);

/** Parses a remote address; returns an explanation if it cannot be used. */
function readRemote(
  table: TableReader,
  isRequired: (table: TableReader) => boolean,
): RemoteEndpoint | string {
  const type = plain(table.any('type') ?? table.any('transport_type'));
  const url = plain(table.any('url'));
  if (!TRANSPORTS.has(type))
    return `its remote server uses the transport ${JSON.stringify(type)}, not http or sse.`;
  // Variables can be anywhere; they are replaced by their names to check the rest.
  const names = variablesOfUrl(url);
  const filled = names.reduce((text, name) => text.replaceAll(`{${name}}`, 'x'), url);
  if (!/^https?:\/\/[^{}\s]+$/.test(filled))
    return `its remote server has the invalid URL ${JSON.stringify(url.slice(0, 200))}.`;
  const listed = tablesIn(table, 'headers').map((header) => ({
    name: plain(header.any('name')),
    value: plain(header.any('value')),
    isRequired: isRequired(header),
  }));
  const open = listed.filter((header) => header.isRequired && isOpen(header.value));
  const fixed = listed.filter(({ value }) => !isOpen(value));
  const forms = open.filter(({ value }) => value !== '');
  return {
    url: literal(url),
    transport: type === 'sse' ? 'sse' : 'http',
    headers: open.map(({ name }) => name),
    ...(forms.length > 0 && {
      headerForms: Object.fromEntries(
        forms.map(({ name, value }) => [name, value.replaceAll(/\{(\w+)\}/g, '<$1>')]),
      ),
    }),
    ...(fixed.length > 0 && {
      fixedHeaders: Object.fromEntries(fixed.map(({ name, value }) => [name, literal(value)])),
    }),
    variables: names.map((name) => readVariable(name, table.any('variables'))),
  };
}

const isOpen = (value: string): boolean => value === '' || /\{\w+\}/.test(value);

function readVariable(name: string, variables: unknown): UrlVariable {
  const found = isTable(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
  const variable = isTable(found) ? found : {};
  const value = plain(variable['value']) || plain(variable['default']);
  const { choices } = variable;
  return {
    name,
    description: plain(variable['description']),
    ...(value !== '' && { default: literal(value) }),
    choices: Array.isArray(choices) ? choices.filter((one) => typeof one === 'string') : [],
    isSecret: (variable['isSecret'] ?? variable['is_secret']) === true,
  };
}

interface OptionsSource {
  readonly runtime: PackageRuntime;
  /** The runner that the registry recommends for the package. */
  readonly hint: string;
  readonly identifier: string;
  readonly isRequired: (argument: TableReader) => boolean;
}

/** A package's options; `unsupported` contains those that the server does not require. */
type PackageOptions = RuntimeOptions & { readonly program: string };

/** Parses the arguments for a package's runner; returns an explanation if a required one is not supported. */
function readPackageOptions(
  list: readonly TableReader[],
  { runtime, hint, identifier, isRequired }: OptionsSource,
): PackageOptions | string {
  const words = list.flatMap((argument) => wordsOf(argument, runtime, isRequired(argument)));
  const program = hint === '' || hint === 'podman' ? runtime : hint;
  // Options for another runner do not apply, because it does not run the package.
  if (program !== runtime) return { ...readRuntimeOptions(runtime, []), program, unsupported: words };
  const read = readRuntimeOptions(runtime, words, identifier);
  const isOther =
    read.bin === undefined && read.package !== undefined && !isSamePackage(read.package, identifier);
  const unsupported = isOther ? [...read.unsupported, read.package, ...read.rest] : read.unsupported;
  const required = list.filter(isRequired).flatMap((argument) => wordsOf(argument, runtime, true));
  const needed = unsupported.filter((text) => required.some((word) => text.split(' ').includes(word)));
  if (needed.length > 0)
    return `its package requires ${program} options that are not supported: ${needed.join(', ')}.`;
  return { ...read, rest: isOther ? [] : read.rest, program, unsupported };
}

function wordsOf(argument: TableReader, runtime: PackageRuntime, isRequired: boolean): string[] {
  const value = withDefaults(argument);
  if (argument.any('type') !== 'named') return value === '' ? [] : [value];
  const name = plain(argument.any('name'));
  if (value !== '') return [`${name}=${value}`];
  // An optional value that the user did not select.
  return takesValue(runtime, name) && !isRequired ? [] : [name];
}

/** Replaces variables that have a default. */
function withDefaults(argument: TableReader): string {
  const variables = argument.any('variables');
  const value = plain(argument.any('value')) || plain(argument.any('default'));
  return value.replaceAll(/\{(\w+)\}/g, (written, name: string) => {
    const variable = isTable(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    return (isTable(variable) && plain(variable['default'])) || written;
  });
}
