import { isObject } from './is-object.ts';

/** The members of any value: none if it is not an object. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isObject(value) ? value : {};
