import { PACKAGE_RUNTIMES, type PackageRuntime } from '../../config/package-launch.ts';
import { isTable, type TableReader } from '../../config/table-reader.ts';
import type { Installation, RegistryArgument, RegistryEntry, RemoteEndpoint } from '../entry.ts';
import { type ListedServer, literal, plain, type RegistryFormat, tablesIn } from './format.ts';
import { packageProblem, splitImage } from './packages.ts';

/** The format of the MCP registry: a `server.json`, or a response of `/v0/servers` with a list of them.
 * @see https://github.com/modelcontextprotocol/registry/tree/main/docs/reference */
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
    const remotes = tablesIn(table, 'remotes').flatMap(readRemote);
    if (packages.length === 0 && remotes.length === 0) {
      table.report(problems[0] ?? 'it has no packages and no remote address.');
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
      installations: packages.map(({ installation }) => installation),
      remotes,
      arguments: packages[0]?.arguments ?? [],
      source,
    } satisfies RegistryEntry;
  },
};

const META = 'io.modelcontextprotocol.registry/official';

/** A list has `{server, _meta}`; older lists, and files, have the server itself. */
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

/** Whether an item is the latest version of its server, and was not deleted. */
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

const RUNTIMES: Readonly<Record<string, PackageRuntime>> = {
  npm: 'npx',
  pypi: 'uvx',
  oci: 'docker',
  docker: 'docker',
};

/** Reads the usable packages. A server can also have packages of kinds that this program does not support. */
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

/** Reads a package; returns a text that explains why it cannot be used. */
function readPackage(table: TableReader, serverVersion: string): ReadPackage | string {
  const type = plain(table.any('registryType') ?? table.any('registry_type') ?? table.any('registry_name'));
  const runtime = Object.hasOwn(RUNTIMES, type) ? RUNTIMES[type] : undefined;
  if (!runtime)
    return `packages of the type ${JSON.stringify(type)} are not supported; use ${PACKAGE_RUNTIMES.join(', ')}.`;
  const transport = table.table('transport')?.any('type') ?? 'stdio';
  if (transport !== 'stdio') return `its package uses the transport ${JSON.stringify(transport)}, not stdio.`;
  const identifier = plain(table.any('identifier') ?? table.any('name'));
  const image = runtime === 'docker' ? splitImage(identifier) : { name: identifier, version: undefined };
  // The exact digest or tag of an image is in its identifier.
  const version = image.version ?? (plain(table.any('version')) || serverVersion);
  const problem = packageProblem(runtime, image.name, version);
  if (problem !== undefined) return problem;
  if (runtime === 'docker' && list(table, 'runtimeArguments', 'runtime_arguments').some(isRequired)) {
    return 'its container needs options of docker, which are not supported.';
  }
  const args = list(table, 'packageArguments', 'package_arguments').map(readArgument);
  const variables = list(table, 'environmentVariables', 'environment_variables').map(
    (variable): RegistryArgument => ({
      name: plain(variable.any('name')),
      type: 'environment',
      required: isRequired(variable),
      description: plain(variable.any('description')),
    }),
  );
  return {
    installation: {
      runtime,
      package: image.name,
      version,
      recommended: false,
      args: args.flatMap(({ fixed }) => fixed),
      volumes: {},
    },
    arguments: [...variables, ...args.flatMap(({ open }) => open)],
  };
}

const list = (table: TableReader, key: string, oldKey: string): TableReader[] => [
  ...tablesIn(table, key),
  ...tablesIn(table, oldKey),
];

const isRequired = (table: TableReader): boolean =>
  (table.any('isRequired') ?? table.any('is_required')) === true;

interface ReadArgument {
  /** The argument, if the registry has its value. */
  readonly fixed: readonly string[];
  /** The argument, if its value has to come from the user. */
  readonly open: readonly RegistryArgument[];
}

function readArgument(table: TableReader): ReadArgument {
  const name = plain(table.any('name'));
  const isNamed = table.any('type') === 'named';
  const value = table.any('value');
  const hasValue = typeof value === 'string' && value !== '' && !/\{\w+\}/.test(value);
  if (hasValue)
    return { fixed: isNamed ? [`${literal(name)}=${literal(value)}`] : [literal(value)], open: [] };
  const description = plain(table.any('description'));
  const shown = isNamed ? name : plain(table.any('valueHint') ?? table.any('value_hint')) || 'value';
  const type = isNamed
    ? table.any('format') === 'boolean'
      ? 'argument_bool'
      : 'argument'
    : 'argument_positional';
  return { fixed: [], open: [{ name: shown, type, required: isRequired(table), description }] };
}

function readRemote(table: TableReader): RemoteEndpoint[] {
  const type = plain(table.any('type') ?? table.any('transport_type'));
  const url = plain(table.any('url'));
  // The user would have to fill in the variables of an address.
  if (!/^https?:\/\/[^{}\s]+$/.test(url) || !['streamable-http', 'streamable', 'http', 'sse'].includes(type))
    return [];
  const headers = tablesIn(table, 'headers')
    .filter(isRequired)
    .map((header) => plain(header.any('name')));
  return [{ url: literal(url), transport: type === 'sse' ? 'sse' : 'http', headers }];
}
