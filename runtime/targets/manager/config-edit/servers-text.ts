import { parse } from 'smol-toml';
import { configError } from '../../../contract/errors.ts';
import { suggest } from '../../../core/text/suggest.ts';
import { serverName } from '../config/server-name.ts';
import { isTable, type Table } from '../config/table-reader.ts';
import type { Statement } from '../config/toml-statements.ts';
import { type Change, editToml, type MutableTable, put } from './edit-toml.ts';
import { cutBlock, cutKey, insertSection, sectionText, tableHeader } from './sections.ts';
import { membersOf } from '../../../core/json/members-of.ts';

export const isServerHeader = ({ kind, keys }: Statement): boolean =>
  kind === 'array-table' && keys.join('.') === 'servers';
export const isInServers = ({ keys }: Statement): boolean => keys[0] === 'servers';

/** Appends a server to a servers file. */
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
    table['servers'] = [...serverTables(table), server];
  };
  return editToml(text, append, {
    first: [
      (body) => insertSection(body, block, isInServers),
      (body) => insertSection(withoutEmptyList(body) ?? body, block, isInServers),
    ],
  });
}

export function removeServer(text: string, name: string): string {
  const remove: Change = (table) => {
    const servers = serverTables(table);
    servers.splice(serverIndex(servers, name), 1);
    if (servers.length === 0) delete table['servers'];
  };
  return editToml(text, remove, { first: [(body) => cutServer(body, name)] });
}

function cutServer(text: string, name: string): string | undefined {
  const index = serverIndex(serverTables(parse(text)), name);
  let seen = -1;
  return cutBlock(
    text,
    (header) => isServerHeader(header) && (seen += 1) === index,
    (header) => !isServerHeader(header) && isInServers(header),
  );
}

/** Sets a key of a server; `undefined` removes it. */
export function setServerKey(text: string, name: string, key: string, value: unknown): string {
  return editToml(text, (table) => {
    const servers = serverTables(table);
    const server: MutableTable = membersOf(servers[serverIndex(servers, name)]);
    if (value === undefined) delete server[key];
    else put(server, key, value);
  });
}

/** Returns the value of a server's key in the file, without expanding it. */
export function readServerKey(text: string, name: string, key: string): unknown {
  const servers = serverTables(parse(text.replace(/^\uFEFF/, '')));
  const server = servers[serverIndex(servers, name)];
  return isTable(server) && Object.hasOwn(server, key) ? server[key] : undefined;
}

/** Returns the servers of a file, which can be changed in place. */
export function serverTables(table: MutableTable): unknown[] {
  const servers = table['servers'] ?? [];
  if (Array.isArray(servers)) return servers;
  throw configError('servers must be a list. Start each server with [[servers]], in double brackets.');
}

/** Returns the index of a server; throws if there is none with this name. */
export function serverIndex(servers: readonly unknown[], name: string): number {
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
  const suggestion = suggest(name, names);
  const known = names.length === 0 ? 'No servers are configured.' : `Servers: ${names.join(', ')}.`;
  const wayOut = suggestion === undefined ? known : `Did you mean ${JSON.stringify(suggestion)}?`;
  return configError(`Unknown server ${JSON.stringify(name)}. ${wayOut}`);
}
