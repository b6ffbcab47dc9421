import { isObject } from './is-object.ts';

/** Returns the members of any value. A value that is not an object has none. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isObject(value) ? value : {};
