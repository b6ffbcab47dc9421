import type { Invocation, Output } from '#serve/cli/command.ts';
import { nameAndValue } from '#serve/cli/name-and-value.ts';
import type { Table } from '../config/table-reader.ts';
import type { ChosenServer } from '../registry/choose-installation.ts';
import { openRegistries } from './registry-option.ts';

/** How a server starts, from the command line or a registry. */
export interface Start {
  readonly table: Table;
  /** Tools that the registry lists for the server. */
  readonly tools: readonly string[];
  /** The name of the server, if it is not the one on the command line. */
  readonly name?: string | undefined;
  /** What the registry has. */
  readonly listed?: ChosenServer | undefined;
}

/** Finds a server in the registries. */
export async function startFromRegistry(id: string, invocation: Invocation, output: Output): Promise<Start> {
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
      `Warning: the registry lists no version of ${entry.id}, so each start can run another one. Pass --version to pin it.\n`,
    );
  }
  // The IDs of the official registry contain a slash, which names of servers cannot.
  const name = entry.id.includes('/') ? usableName(entry.id.slice(entry.id.lastIndexOf('/') + 1)) : undefined;
  return { table, tools: entry.tools, name, listed };
}
