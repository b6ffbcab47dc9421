import { stringify } from 'smol-toml';
import { isTable } from '../config/table-reader.ts';
import type { Statement } from '../config/toml-statements.ts';
import { editToml, type MutableTable, put, type Rewrite } from './edit-toml.ts';
import { cutKey, insertKey, insertSection, sectionText, tableHeader } from './sections.ts';

/** Sets a key of a table, which is made if it is not there; `undefined` takes the key out, and tables that are empty then. */
export function editTable(text: string, path: readonly string[], key: string, value: unknown): string {
  if (value === undefined) return editToml(text, (table) => removeKey(table, [...path, key]));
  const values: MutableTable = {};
  put(values, key, value);
  const set = (table: MutableTable): void => {
    put(path.reduce(below, table), key, value);
  };
  const isHeader = ({ kind, keys }: Statement): boolean =>
    kind === 'table' && JSON.stringify(keys) === JSON.stringify(path);
  const asLine: Rewrite = (body) => insertKey(body, isHeader, stringify(values));
  const asSection: Rewrite = (body) =>
    insertSection(body, sectionText(tableHeader(path), values), ({ keys }) =>
      path.slice(0, 2).every((name, index) => keys[index] === name),
    );
  const inNewPlace: Rewrite = (body) =>
    asLine(cutKey(body, (statement) => statement.keys.join('\0') === key) ?? body);
  return editToml(text, set, { first: [asLine, asSection], last: [inNewPlace] });
}

/** The table of a name in another, which is made if it is not there. */
function below(table: MutableTable, name: string): MutableTable {
  const inner = Object.hasOwn(table, name) ? table[name] : undefined;
  if (isTable(inner)) return inner;
  const made: MutableTable = {};
  put(table, name, made);
  return made;
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
