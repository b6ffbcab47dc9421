import { type ColumnDataType, type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';

type SqlType = 'text' | 'bigint' | 'integer' | 'double precision' | 'bytes';

/** A table column, with the type of its values. */
export interface Column<Value> {
  readonly type: SqlType;
  readonly isNullable?: boolean;
  readonly isUnique?: boolean;
  /** Value of rows that are inserted without one. */
  readonly initial?: string | number;
  readonly isNegativeRefused?: boolean;
  /** Whether a later migration adds the column. */
  readonly isLater?: boolean;
  /** Never set: it only carries the type. */
  readonly valueType?: Value;
}

export const textColumn: Column<string> = { type: 'text' };
/** A text that is one of several words, or has a format expressed in TypeScript. */
export const textOf = <Value extends string>(): Column<Value> => ({ type: 'text' });
export const integer: Column<number> = { type: 'integer' };
export const bigint: Column<number> = { type: 'bigint' };
/** An amount of money. Its column name ends in `_nano`. */
export const nanos: Column<bigint> = { type: 'bigint' };
export const real: Column<number> = { type: 'double precision' };
export const bytes: Column<Uint8Array> = { type: 'bytes' };

export const nullable = <Value>(column: Column<Value>): Column<Value | null> => ({
  ...column,
  isNullable: true,
});
export const unique = <Value>(column: Column<Value>): Column<Value> => ({ ...column, isUnique: true });
export const initially = <Value extends string | number>(
  column: Column<Value>,
  initial: Value,
): Column<Value> => ({ ...column, initial });
export const notNegative = <Value>(column: Column<Value>): Column<Value> => ({
  ...column,
  isNegativeRefused: true,
});
/** Marks a column that a migration after the first one adds; the first migration omits it. */
export const later = <Value>(column: Column<Value>): Column<Value> => ({ ...column, isLater: true });

type Columns = Readonly<Record<string, Column<unknown>>>;

interface Index<Name> {
  readonly columns: readonly Name[];
  readonly isUnique?: boolean;
  /** The rows that the index contains, as an SQL condition; all by default. */
  readonly where?: string;
}

interface Layout<Name> {
  /** The primary key; by default, the first column. */
  readonly key?: readonly Name[];
  /** Indexes by name. */
  readonly indexes?: Readonly<Record<string, Index<Name>>>;
  /** Whether a migration after the first one creates the table. */
  readonly isLater?: boolean;
}

/** A table: columns, keys and indexes. */
export interface Table<Definition extends Columns = Columns> extends Layout<string> {
  readonly columns: Definition;
}

export const table = <const Definition extends Columns>(
  columns: Definition,
  layout: Layout<keyof Definition & string> = {},
): Table<Definition> => ({ columns, ...layout });

type ValueOf<Type> = Type extends Column<infer Value> ? Value : never;

/** A table's rows, as returned by queries. */
export type RowOf<Type> =
  Type extends Table<infer Definition>
    ? { readonly [Name in keyof Definition]: ValueOf<Definition[Name]> }
    : never;

/** Several tables' rows, by table name. */
export type RowsOf<Tables> = { [Name in keyof Tables]: RowOf<Tables[Name]> };

/** The SQL types of a table's columns, for statements without a query builder. */
export const columnTypes = <Definition extends Columns>({
  columns,
}: Table<Definition>): Readonly<Record<keyof Definition, SqlType>> =>
  Object.fromEntries(Object.entries(columns).map(([name, { type }]) => [name, type])) as Record<
    keyof Definition,
    SqlType
  >;

/** Creates a table with its indexes, without columns that later migrations add. */
export async function createTable(
  db: Kysely<unknown>,
  name: string,
  { columns, key = Object.keys(columns).slice(0, 1), indexes = {} }: Table,
): Promise<void> {
  const [onlyKey] = key.length === 1 ? key : [];
  let builder = db.schema.createTable(name);
  for (const [column, definition] of Object.entries(columns).filter(([, { isLater }]) => !isLater))
    builder = builder.addColumn(column, dataType(definition.type), (given) => {
      const built = specify(given, column, definition);
      return column === onlyKey ? built.primaryKey() : built;
    });
  if (onlyKey === undefined) builder = builder.addPrimaryKeyConstraint(`${name}_key`, [...key] as never[]);
  await builder.execute();
  for (const [index, { columns: names, isUnique, where }] of Object.entries(indexes)) {
    let built = db.schema
      .createIndex(index)
      .on(name)
      .columns([...names]);
    if (isUnique) built = built.unique();
    if (where !== undefined) built = built.where(sql<boolean>`${sql.raw(where)}`);
    await built.execute();
  }
}

/** Adds columns marked as later ones to an existing table. */
export async function addColumns(
  db: Kysely<unknown>,
  name: string,
  columns: Readonly<Record<string, Column<unknown>>>,
): Promise<void> {
  for (const [column, definition] of Object.entries(columns))
    await db.schema
      .alterTable(name)
      .addColumn(column, dataType(definition.type), (given) => specify(given, column, definition))
      .execute();
}

function specify(
  given: ColumnDefinitionBuilder,
  column: string,
  { isNullable, isUnique, initial, isNegativeRefused }: Column<unknown>,
): ColumnDefinitionBuilder {
  let built = isNullable ? given : given.notNull();
  if (isUnique) built = built.unique();
  if (initial !== undefined) built = built.defaultTo(initial);
  if (isNegativeRefused) built = built.check(sql`${sql.raw(column)} >= 0`);
  return built;
}

/** PostgreSQL's type for bytes. SQLite accepts any type name and stores bytes unchanged. */
const dataType = (type: SqlType): ColumnDataType | ReturnType<typeof sql> =>
  type === 'bytes' ? sql`bytea` : type;
