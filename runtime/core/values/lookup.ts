/**
 * A table that is searched for texts from outside, such as names in a file, a request or a response. It
 * inherits nothing, so it has no `constructor` or other member that every object has.
 */
export const lookup = <Value>(table: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.freeze(Object.assign(Object.create(null) as Record<string, Value>, table));
