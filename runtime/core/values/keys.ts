/**
 * `Object.keys` typed with the names of the type. An object can have more keys, so use it only for
 * literal tables and typed records.
 */
export const keysOf = <Table extends object>(table: Table): (keyof Table & string)[] =>
  Object.keys(table) as (keyof Table & string)[];

/** `Object.entries` typed with the names of the type, under the same condition. */
export const entriesOf = <Name extends string, Value>(
  table: Readonly<Partial<Record<Name, Value>>>,
): [Name, Value][] => Object.entries(table) as [Name, Value][];

/**
 * `Object.fromEntries` typed with the names of the entries. The caller must provide an entry for
 * each name.
 */
export const recordOf = <Name extends string, Value>(
  entries: Iterable<readonly [Name, Value]>,
): Record<Name, Value> => Object.fromEntries(entries) as Record<Name, Value>;
