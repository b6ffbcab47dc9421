import { configError } from '../../../contract/errors.ts';
import { suggest } from '../../../core/text/suggest.ts';
import type { Table } from '../config/table-reader.ts';
import type { Installation, RegistryArgument, RegistryEntry } from './entry.ts';

/** The server to look up, with preferences for its installation. */
export interface RegistryQuery {
  readonly id: string;
  readonly runtime: string | undefined;
  readonly version: string | undefined;
  readonly allowDeprecated: boolean;
}

/** Returns the server with the ID, which is compared without case. */
export function findEntry(
  entries: readonly RegistryEntry[],
  { id, allowDeprecated }: RegistryQuery,
): RegistryEntry {
  const entry = entries.find((candidate) => candidate.id.toLowerCase() === id.toLowerCase());
  if (!entry) {
    const ids = entries.map((candidate) => candidate.id);
    const suggestion = suggest(id, ids);
    const known =
      suggestion === undefined ? 'See `mcp-manager search`.' : `Did you mean ${JSON.stringify(suggestion)}?`;
    throw configError(
      `No registry lists a server ${JSON.stringify(id)}. ${known} For an unlisted server, use --package, --command, --url or --.`,
    );
  }
  if (!entry.deprecated || allowDeprecated) return entry;
  throw configError(`${id} is deprecated and gets no fixes. Pass --allow-deprecated to add it anyway.`);
}

/** Returns the keys of `[[servers]]` that start the server, and those that list its required values. */
export function serverFromEntry(entry: RegistryEntry, query: RegistryQuery): Table {
  const installation = choose(entry, query);
  const required = (type: RegistryArgument['type']): string[] =>
    entry.arguments.filter((argument) => argument.required && argument.type === type).map(({ name }) => name);
  const lists = {
    required_env: required('environment'),
    required_args: required('argument'),
    required_args_bool: required('argument_bool'),
    required_args_positional: required('argument_positional'),
  };
  return {
    package: `${installation.runtime}::${installation.package}@${query.version ?? installation.version}`,
    ...Object.fromEntries(Object.entries(lists).filter(([, names]) => names.length > 0)),
  };
}

function choose({ id, installations }: RegistryEntry, { runtime }: RegistryQuery): Installation {
  const candidates = installations.filter(
    (installation) => runtime === undefined || installation.runtime === runtime,
  );
  const chosen = candidates.find(({ recommended }) => recommended) ?? candidates[0];
  if (chosen) return chosen;
  const known = installations.map((installation) => installation.runtime).join(', ') || 'none';
  throw configError(
    `${id} has no package for ${runtime ?? 'a supported runtime'}. Available runtimes: ${known}.`,
  );
}
