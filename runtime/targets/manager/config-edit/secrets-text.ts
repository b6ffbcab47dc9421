import { parse } from 'smol-toml';
import { serverName } from '../config/server-name.ts';
import { isTable, type TomlTable } from '../config/table-reader.ts';
import { editTable } from './edit-table.ts';

/** Sets a server's value in the secrets file: its `args`, or one name in its `env`, `volumes` or `headers`. */
export function setSecret(
  text: string,
  server: string,
  key: readonly [string, string?],
  value: unknown,
): string {
  const path = ['servers', writtenName(text, server)];
  const [table, name] = key;
  return name === undefined
    ? editTable(text, path, table, value)
    : editTable(text, [...path, table], name, value);
}

/** Edits a server's arguments in the secrets file. */
export function editArgs(
  text: string,
  server: string,
  change: (args: readonly string[]) => readonly string[],
): string {
  const own = tableAt(read(text), ['servers', writtenName(text, server)]);
  const args = Array.isArray(own['args']) ? own['args'].map(String) : [];
  const changed = change(args);
  return setSecret(text, server, ['args'], changed.length === 0 ? undefined : [...changed]);
}

/** Removes all of a server's values from the secrets file, or one of its tables. */
export function removeSecrets(text: string, server: string, table?: string): string {
  const path = ['servers', writtenName(text, server), ...(table === undefined ? [] : [table])];
  return editTable(text, path.slice(0, -1), path.at(-1) ?? '', undefined);
}

/** Returns the server name as spelled in the file. */
function writtenName(text: string, server: string): string {
  const names = Object.keys(tableAt(read(text), ['servers']));
  return names.find((name) => serverName(name) === serverName(server)) ?? serverName(server);
}

const read = (text: string): TomlTable => parse(text.replace(/^\uFEFF/, ''));

/** Returns the table at a path, or an empty table if there is none. */
function tableAt(table: TomlTable, path: readonly string[]): TomlTable {
  return path.reduce((inner: TomlTable, key) => {
    const value = Object.hasOwn(inner, key) ? inner[key] : undefined;
    return isTable(value) ? value : {};
  }, table);
}
