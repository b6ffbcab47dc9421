/**
 * Returns a member of any value, for example of errors and results from other programs; undefined
 * if the value is not an object.
 */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
