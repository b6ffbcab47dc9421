import { stringify } from 'smol-toml';
import { isTable } from '../config/table-reader.ts';
import type { Statement } from '../config/toml-statements.ts';
import { editToml, type MutableTable, put, type Rewrite } from './edit-toml.ts';
import { cutKey, insertKey, insertSection, sectionText, tableHeader } from './sections.ts';

/** Sets a key in a table, creating the table if missing. `undefined` removes the key, and tables that become empty. */
export function editTable(text: string, path: readonly string[], key: string, value: unknown): string {
  if (value === undefined) return editToml(text, (table) => removeKey(table, [...path, key]));
  const values: MutableTable = {};
  put(values, key, value);
  const set = (table: MutableTable): void => {
    put(path.reduce(nestedTable, table), key, value);
  };
  const isHeader = ({ kind, keys }: Statement): boolean =>
    kind === 'table' && JSON.stringify(keys) === JSON.stringify(path);
  const asLine = (body: string): string | undefined => insertKey(body, isHeader, stringify(values));
  const asSection: Rewrite = (body) =>
    insertSection(body, sectionText(tableHeader(path), values), ({ keys }) =>
      path.slice(0, 2).every((name, index) => keys[index] === name),
    );
  const asMovedLine: Rewrite = (body) =>
    asLine(cutKey(body, (statement) => statement.keys.join('\0') === key) ?? body);
  return editToml(text, set, { first: [asLine, asSection], last: [asMovedLine] });
}

/** Returns a nested table, creating it if missing. */
function nestedTable(table: MutableTable, name: string): MutableTable {
  const inner = Object.hasOwn(table, name) ? table[name] : undefined;
  if (isTable(inner)) return inner;
  const created: MutableTable = {};
  put(table, name, created);
  return created;
}

function removeKey(table: MutableTable, path: readonly string[]): void {
  const [first = '', ...rest] = path;
  const inner = Object.hasOwn(table, first) ? table[first] : undefined;
  if (rest.length > 0) {
    if (!isTable(inner)) return;
    removeKey(inner, rest);
    if (Object.keys(inner).length > 0) return;
  }
  delete table[first];
}
