import { isObject } from '#core/json/is-object.ts';
import type { Json } from '../shapes/chat.ts';
import { isCount } from '#core/numbers/is-count.ts';

// Functions that read JSON from providers. The JSON can contain anything; the functions throw for invalid
// values.

export function objectIn(value: unknown, what: string): Json {
  if (isObject(value)) return value;
  throw new Error(`${what} is not an object.`);
}

/** The objects in a list; empty if it is missing. */
export function objectsIn(value: unknown, what: string): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw new Error(`${what} is not a list of objects.`);
}

/** The objects in a required list. */
export function requiredObjectsIn(value: unknown, what: string): readonly Json[] {
  if (Array.isArray(value)) return objectsIn(value, what);
  throw new Error(`${what} is not a list of objects.`);
}

/** A string, or the concatenated texts of a list of parts. */
export function foreignText(value: unknown, what: string): string | null | undefined {
  if (value === undefined || value === null || typeof value === 'string') return value;
  return objectsIn(value, what)
    .map(({ text }) => textOr(text, ''))
    .join('');
}

export const textOr = <Other>(value: unknown, other: Other): string | Other =>
  typeof value === 'string' ? value : other;

export const countOr = (value: unknown, other: number): number => (isCount(value) ? value : other);
