import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { keysOf } from '#core/values/keys.ts';

/** A table with an `id` and prepared statements, because it is used many times per second. */
export interface PreparedTable<Row> {
  readonly find: (id: string) => Row | undefined;
  readonly insert: (row: Row) => void;
  /** Does nothing if there is a row with that id. */
  readonly insertMissing: (row: Row) => void;
  /** Updates all columns of the row with that id. */
  readonly update: (row: Row) => void;
  readonly delete: (id: string) => void;
}

/** A row whose columns all have values that SQLite can store. */
type Storable<Row> = { readonly id: string } & { readonly [Name in keyof Row]: SQLInputValue };

export function prepareTable<Row extends Storable<Row>>(
  database: DatabaseSync,
  table: string,
  columns: Readonly<Record<keyof Row, string>>,
): PreparedTable<Row> {
  const names = keysOf(columns);
  const rest = names.filter((name) => name !== 'id');
  const counts = rest.filter((name) => columns[name] !== 'text' && !name.endsWith('_nano'));
  const find = database.prepare(`select ${names.join(', ')} from ${table} where id = ?`);
  const values = `into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`;
  const insert = database.prepare(`insert ${values}`);
  const insertMissing = database.prepare(`insert or ignore ${values}`);
  const update = database.prepare(
    `update ${table} set ${rest.map((name) => `${name} = ?`).join(', ')} where id = ?`,
  );
  const remove = database.prepare(`delete from ${table} where id = ?`);
  return {
    find(id) {
      const row: Record<string, unknown> | undefined = find.get(id);
      if (!row) return undefined;
      // SQLite returns all integers as bigint. Only amounts stay bigint.
      for (const name of counts) if (row[name] !== null) row[name] = Number(row[name]);
      // A plain copy, because objects of SQLite are slow to copy later.
      return { ...row } as Row;
    },
    insert: (row) => void insert.run(...names.map((name) => row[name])),
    insertMissing: (row) => void insertMissing.run(...names.map((name) => row[name])),
    update: (row) => void update.run(...rest.map((name) => row[name]), row.id),
    delete: (id) => void remove.run(id),
  };
}
