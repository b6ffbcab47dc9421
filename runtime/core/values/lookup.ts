/**
 * Creates a table without inherited members, such as `constructor`. Use it for all tables in which
 * strings from outside are looked up, such as names in a file, a request or a response.
 */
export const lookup = <Value>(table: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.freeze(Object.assign(Object.create(null) as Record<string, Value>, table));
