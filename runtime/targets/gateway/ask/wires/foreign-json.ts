import { isObject } from '../../../../core/json/is-object.ts';
import type { Json } from '../shapes/chat.ts';

// What others wrote may be of any shape. These read it, and throw for what they cannot make sense of.

/** None if it is left out. */
export function objectsIn(value: unknown, what: string): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw new Error(`${what} is no list of objects.`);
}

/** A text, or that of all parts which have one. */
export function textIn(value: unknown, what: string): string | null | undefined {
  if (value === undefined || value === null || typeof value === 'string') return value;
  return objectsIn(value, what)
    .map(({ text }) => textOr(text, ''))
    .join('');
}

export const textOr = <Other>(value: unknown, other: Other): string | Other =>
  typeof value === 'string' ? value : other;

export const countOr = (value: unknown, other: number): number =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : other;
