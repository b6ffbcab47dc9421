/** `Object.keys` with the names that the type has. An object can have more, so this is for literal tables and typed records. */
export const keysOf = <Table extends object>(table: Table): (keyof Table & string)[] =>
  Object.keys(table) as (keyof Table & string)[];

/** `Object.entries` with the names that the type has, under the same condition. */
export const entriesOf = <Name extends string, Value>(
  table: Readonly<Partial<Record<Name, Value>>>,
): [Name, Value][] => Object.entries(table) as [Name, Value][];

/** `Object.fromEntries` with the names of the entries. The caller has an entry for each of them. */
export const recordOf = <Name extends string, Value>(
  entries: Iterable<readonly [Name, Value]>,
): Record<Name, Value> => Object.fromEntries(entries) as Record<Name, Value>;
