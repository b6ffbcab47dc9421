import { configError } from '#contract/errors.ts';
import { suggest } from '#core/text/suggest.ts';
import { serverName } from '../config/server-name.ts';
import { isTable } from '../config/table-reader.ts';

type Kind = 'server' | 'group';

/** Returns the index of the table with a name, ignoring case; throws if there is none. */
export function namedIndex(kind: Kind, tables: readonly unknown[], name: string): number {
  const names = tables.map((table) =>
    isTable(table) && typeof table['name'] === 'string' ? serverName(table['name']) : '',
  );
  const index = names.indexOf(serverName(name));
  if (index >= 0) return index;
  throw unknownName(
    kind,
    name,
    names.filter((known) => known !== ''),
  );
}

export const unknownServer = (name: string, names: readonly string[]): Error =>
  unknownName('server', name, names);

const WORDS: Record<Kind, { readonly unknown: string; readonly none: string; readonly list: string }> = {
  server: { unknown: 'Unknown server', none: 'No servers are configured.', list: 'Servers' },
  group: { unknown: 'Unknown group', none: 'No groups are configured.', list: 'Groups' },
};

function unknownName(kind: Kind, name: string, names: readonly string[]): Error {
  const { unknown, none, list } = WORDS[kind];
  const suggestion = suggest(name, names);
  const known = names.length === 0 ? none : `${list}: ${names.join(', ')}.`;
  const wayOut = suggestion === undefined ? known : `Did you mean ${JSON.stringify(suggestion)}?`;
  return configError(`${unknown} ${JSON.stringify(name)}. ${wayOut}`);
}
