import { configError } from '#contract/errors.ts';
import { namedIndex } from './named-index.ts';
import { tomlTable } from '../config/parse-toml.ts';
import { isTable, type TomlTable } from '../config/table-reader.ts';
import { type Change, editToml, type MutableTable, put, type Rewrite } from './edit-toml.ts';
import { cutKey, cutListed, insertSection, isInList, sectionText, tableHeader } from './sections.ts';
import { membersOf } from '#core/json/members-of.ts';

/** Appends a server to a servers file. */
export function addServer(text: string, server: TomlTable): string {
  const { volumes, ...others } = server;
  const tables = Object.entries(others).filter(([, value]) => isTable(value));
  const values = Object.entries(others).filter(([, value]) => !isTable(value));
  const block = [
    sectionText('[[servers]]', Object.fromEntries(values)),
    ...tables.map(([key, table]) => sectionText(tableHeader(['servers', key]), membersOf(table))),
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
      (body) => insertSection(body, block, isInList('servers')),
      (body) => insertSection(withoutEmptyList(body) ?? body, block, isInList('servers')),
    ],
  });
}

export function removeServer(text: string, name: string): string {
  const remove: Change = (table) => {
    const servers = serverTables(table);
    servers.splice(serverIndex(servers, name), 1);
    if (servers.length === 0) delete table['servers'];
  };
  const cut: Rewrite = (body, table) => cutListed(body, 'servers', serverIndex(serverTables(table), name));
  return editToml(text, remove, { first: [cut] });
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

/** Returns the value of a server's key as written, without expansion. */
export function readServerKey(text: string, name: string, key: string): unknown {
  const servers = serverTables(tomlTable(text.replace(/^\uFEFF/, '')));
  const server = servers[serverIndex(servers, name)];
  return isTable(server) && Object.hasOwn(server, key) ? server[key] : undefined;
}

/** Returns the servers in a file. If the table is mutable, so are the returned servers. */
export function serverTables(table: TomlTable): unknown[] {
  const servers = table['servers'] ?? [];
  if (Array.isArray(servers)) return servers;
  throw configError('servers must be a list. Start each server with [[servers]], in double brackets.');
}

/** Returns a server's index; throws if no server has this name. */
export const serverIndex = (servers: readonly unknown[], name: string): number =>
  namedIndex('server', servers, name);
