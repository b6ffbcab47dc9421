import { configError } from '../../../contract/errors.ts';
import { suggest } from '../../../core/text/suggest.ts';
import type { Table } from '../config/table-reader.ts';
import type { Installation, RegistryArgument, RegistryEntry } from './entry.ts';

export interface Wanted {
  readonly id: string;
  readonly runtime: string | undefined;
  readonly version: string | undefined;
  readonly allowDeprecated: boolean;
}

/** The server of a registry that was asked for. */
export function findEntry(entries: readonly RegistryEntry[], { id, allowDeprecated }: Wanted): RegistryEntry {
  const entry = entries.find((candidate) => candidate.id.toLowerCase() === id.toLowerCase());
  if (!entry) {
    const ids = entries.map((candidate) => candidate.id);
    const meant = suggest(id, ids);
    const wayOut = meant === undefined ? 'See `mcp-manager search`' : `Did you mean ${JSON.stringify(meant)}`;
    throw configError(
      `No registry knows a server ${JSON.stringify(id)}. ${wayOut}${meant === undefined ? ', or' : '? Or'} say how it is started with --package, --url or --.`,
    );
  }
  if (!entry.deprecated || allowDeprecated) return entry;
  throw configError(
    `${id} is deprecated: it gets no more fixes. Add it all the same with --allow-deprecated.`,
  );
}

/** The keys of `[[servers]]` that say how it is started and what it demands. */
export function serverFromEntry(entry: RegistryEntry, wanted: Wanted): Table {
  const installation = choose(entry, wanted);
  const required = (type: RegistryArgument['type']): string[] =>
    entry.arguments.filter((argument) => argument.required && argument.type === type).map(({ name }) => name);
  const lists = {
    required_env: required('environment'),
    required_args: required('argument'),
    required_args_bool: required('argument_bool'),
    required_args_positional: required('argument_positional'),
  };
  return {
    package: `${installation.runtime}::${installation.package}@${wanted.version ?? installation.version}`,
    ...Object.fromEntries(Object.entries(lists).filter(([, names]) => names.length > 0)),
  };
}

function choose({ id, installations }: RegistryEntry, { runtime }: Wanted): Installation {
  const fitting = installations.filter(
    (installation) => runtime === undefined || installation.runtime === runtime,
  );
  const chosen = fitting.find(({ recommended }) => recommended) ?? fitting[0];
  if (chosen) return chosen;
  const known = installations.map((installation) => installation.runtime).join(', ') || 'none';
  throw configError(`${id} has no package for ${runtime ?? 'any runtime'} here. Its runtimes are: ${known}.`);
}
