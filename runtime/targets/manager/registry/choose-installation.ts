import { configError } from '#contract/errors.ts';
import { suggest } from '#core/text/suggest.ts';
import type { TomlTable } from '../config/table-reader.ts';
import type { Installation, RegistryArgument, RegistryEntry, RemoteEndpoint } from './entry.ts';
import type { OpenedRegistry } from './open-registry.ts';
import { fillUrl } from './fill-url.ts';
import { REMOTE } from './search.ts';

/** The server to look up, with installation preferences. */
export interface RegistryQuery {
  readonly id: string;
  readonly runtime: string | undefined;
  readonly version: string | undefined;
  readonly allowDeprecated: boolean;
  /** Values for the variables in a remote server's URL. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A registry server, converted to configuration. */
export interface ChosenServer {
  readonly table: TomlTable;
  /** The URL for the secrets file. */
  readonly secretUrl?: string | undefined;
  /** Notes for the user about the choice. */
  readonly notes: readonly string[];
  /** Headers that the user must set, with the format of their values. */
  readonly headers: readonly (readonly [name: string, form: string])[];
}

/** Returns the server with the ID, ignoring case. */
export function findEntry(
  { entries, skipped }: Pick<OpenedRegistry, 'entries' | 'skipped'>,
  { id, allowDeprecated }: RegistryQuery,
): RegistryEntry {
  const entry = entries.find((candidate) => isNamed(candidate, id)) ?? onlyLastPart(entries, id);
  if (!entry) {
    const unusable = skipped.find((one) => isNamed(one, id)) ?? onlyLastPart(skipped, id);
    if (unusable)
      throw configError(
        `${unusable.source} lists ${unusable.id}, but it cannot be added: ${unusable.reason}`,
      );
    const ids = entries.map((candidate) => candidate.id);
    const suggestion = suggest(id, ids);
    const known =
      suggestion === undefined ? 'See `mcp-manager search`.' : `Did you mean ${JSON.stringify(suggestion)}?`;
    throw configError(
      `No registry lists a server ${JSON.stringify(id)}. ${known} For an unlisted server, use --package, --command, --url or --.`,
    );
  }
  if (!entry.deprecated || allowDeprecated) return entry;
  throw configError(`${id} is deprecated and receives no fixes. Pass --allow-deprecated to add it anyway.`);
}

type Listed = Pick<RegistryEntry, 'id'>;

const isNamed = ({ id }: Listed, wanted: string): boolean => id.toLowerCase() === wanted.toLowerCase();

/** Finds `io.github.user/server` by `server` if no other server's name has the same last segment. */
function onlyLastPart<Item extends Listed>(entries: readonly Item[], wanted: string): Item | undefined {
  const found = entries.filter(({ id }) => id.toLowerCase().endsWith(`/${wanted.toLowerCase()}`));
  return found.length === 1 ? found[0] : undefined;
}

/** Returns the `[[servers]]` keys that start the server, and those that list its required values. */
export function serverFromEntry(entry: RegistryEntry, query: RegistryQuery): ChosenServer {
  const chosen = choose(entry, query);
  if ('url' in chosen) return remoteServer(entry.id, chosen, query);
  if (Object.keys(query.variables).length > 0) {
    throw configError(
      `--var requires a remote server, but ${entry.id} is a package. Use --env, or \`config args set\`.`,
    );
  }
  const { ignored } = chosen;
  const notes = ignored
    ? [
        `Warning: the registry lists ${ignored.program} options for ${entry.id} that are not used: ${ignored.options.join(' ')}`,
      ]
    : [];
  return { table: packageTable(entry, chosen, query), notes, headers: [] };
}

function remoteServer(id: string, remote: RemoteEndpoint, { variables }: RegistryQuery): ChosenServer {
  const { url, secretUrl } = fillUrl(remote, variables, id);
  const { fixedHeaders, headerForms = {} } = remote;
  return {
    table: {
      url,
      ...(remote.transport === 'sse' ? { transport: 'sse' } : {}),
      ...(fixedHeaders ? { headers: fixedHeaders } : {}),
    },
    secretUrl,
    notes: [],
    headers: remote.headers.map((name) => [name, headerForms[name] ?? '<value>']),
  };
}

function packageTable(entry: RegistryEntry, installation: Installation, query: RegistryQuery): TomlTable {
  const required = (type: RegistryArgument['type']): string[] =>
    (installation.arguments ?? entry.arguments)
      .filter((argument) => argument.required && argument.type === type)
      .map(({ name }) => name);
  const lists = {
    required_env: required('environment'),
    required_args: required('argument'),
    required_args_bool: required('argument_bool'),
    required_args_positional: required('argument_positional'),
  };
  return {
    package: `${installation.runtime}::${installation.package}@${query.version ?? installation.version}`,
    ...(installation.bin === undefined ? {} : { package_bin: installation.bin }),
    ...(installation.with ? { package_with: installation.with } : {}),
    ...(installation.args.length > 0 ? { args: installation.args } : {}),
    ...(installation.env ? { env: installation.env } : {}),
    ...Object.fromEntries(Object.entries(lists).filter(([, names]) => names.length > 0)),
    ...(Object.keys(installation.volumes).length > 0 ? { volumes: volumesOf(installation) } : {}),
  };
}

const volumesOf = ({ volumes }: Installation): TomlTable =>
  Object.fromEntries(Object.entries(volumes).map(([name, path]) => [name, { path, required: true }]));

function choose(
  { id, installations, remotes }: RegistryEntry,
  { runtime, variables }: RegistryQuery,
): Installation | RemoteEndpoint {
  const candidates = installations.filter(
    (installation) => runtime === undefined || installation.runtime === runtime,
  );
  const chosen = candidates.find(({ recommended }) => recommended) ?? candidates[0];
  if (chosen) return chosen;
  const given = Object.keys(variables);
  const remote =
    given.length > 0
      ? (remotes.find((one) => given.every((name) => one.variables.some((each) => each.name === name))) ??
        remotes[0])
      : (remotes.find((one) => one.variables.every((variable) => variable.default)) ?? remotes[0]);
  if (remote && (runtime === undefined || runtime === REMOTE)) return remote;
  const known =
    [...installations.map((one) => one.runtime), ...remotes.map(() => REMOTE)].join(', ') || 'none';
  throw configError(
    `${id} has no package for ${runtime ?? 'a supported runtime'}. Available runtimes: ${known}.`,
  );
}
