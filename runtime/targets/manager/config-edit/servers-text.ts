import { parse } from 'smol-toml';
import { configError } from '../../../contract/errors.ts';
import { suggest } from '../../../core/text/suggest.ts';
import { serverName } from '../config/server-name.ts';
import { isTable, type Table } from '../config/table-reader.ts';
import type { Statement } from '../config/toml-statements.ts';
import { type Change, editToml, type MutableTable, put } from './edit-toml.ts';
import { cutBlock, cutKey, insertSection, sectionText, tableHeader } from './sections.ts';
import { membersOf } from '../../../core/json/members-of.ts';

const isServer = ({ kind, keys }: Statement): boolean =>
  kind === 'array-table' && keys.join('.') === 'servers';
const isOfServers = ({ keys }: Statement): boolean => keys[0] === 'servers';

/** Appends a server to a file of servers. */
export function addServer(text: string, server: Table): string {
  const { volumes, ...rest } = server;
  const block = [
    sectionText('[[servers]]', rest),
    ...Object.entries(isTable(volumes) ? volumes : {}).map(([name, volume]) =>
      sectionText(tableHeader(['servers', 'volumes', name]), membersOf(volume)),
    ),
  ].join('');
  const withoutEmptyList = (body: string): string | undefined =>
    cutKey(body, ({ keys }) => keys.join('.') === 'servers');
  const append: Change = (table) => {
    table['servers'] = [...listOf(table), server];
  };
  return editToml(text, append, {
    first: [
      (body) => insertSection(body, block, isOfServers),
      (body) => insertSection(withoutEmptyList(body) ?? body, block, isOfServers),
    ],
  });
}

export function removeServer(text: string, name: string): string {
  const cutOut: Change = (table) => {
    const servers = listOf(table);
    servers.splice(indexOf(servers, name), 1);
    if (servers.length === 0) delete table['servers'];
  };
  return editToml(text, cutOut, { first: [(body) => cutServer(body, name)] });
}

function cutServer(text: string, name: string): string | undefined {
  const index = indexOf(listOf(parse(text)), name);
  let seen = -1;
  return cutBlock(
    text,
    (header) => isServer(header) && (seen += 1) === index,
    (header) => !isServer(header) && isOfServers(header),
  );
}

/** Sets a key of a server, or takes it out. */
export function setServerKey(text: string, name: string, key: string, value: unknown): string {
  return editToml(text, (table) => {
    const servers = listOf(table);
    const server: MutableTable = membersOf(servers[indexOf(servers, name)]);
    if (value === undefined) delete server[key];
    else put(server, key, value);
  });
}

/** The value of a server's key as the file has it. */
export function readServerKey(text: string, name: string, key: string): unknown {
  const servers = listOf(parse(text.replace(/^\uFEFF/, '')));
  const server = servers[indexOf(servers, name)];
  return isTable(server) && Object.hasOwn(server, key) ? server[key] : undefined;
}

function listOf(table: MutableTable): unknown[] {
  const servers = table['servers'] ?? [];
  if (Array.isArray(servers)) return servers;
  throw configError('servers is no list in this file. Begin each server with [[servers]].');
}

function indexOf(servers: readonly unknown[], name: string): number {
  const names = servers.map((server) =>
    isTable(server) && typeof server['name'] === 'string' ? serverName(server['name']) : '',
  );
  const index = names.indexOf(serverName(name));
  if (index >= 0) return index;
  throw unknownServer(
    name,
    names.filter((known) => known !== ''),
  );
}

export function unknownServer(name: string, names: readonly string[]): Error {
  const meant = suggest(name, names);
  const known = names.length === 0 ? 'There are none yet.' : `Servers are ${names.join(', ')}.`;
  const wayOut = meant === undefined ? known : `Did you mean ${JSON.stringify(meant)}?`;
  return configError(`There is no server ${JSON.stringify(name)}. ${wayOut}`);
}
