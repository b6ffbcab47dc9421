import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { isObject } from '#core/json/is-object.ts';

/**
 * Schema keyword: keywords that documents have in addition, or `false` for a member that they leave out. Validation ignores it.
 * It is for limits that are checked elsewhere, with a better message, and for members that only older clients send.
 */
export const DOCUMENTED_KEYWORD = 'x-documented';

/** A schema with further keywords in documents. */
export const documented = <Schema extends TSchema>(
  schema: Schema,
  keywords: Readonly<Record<string, unknown>>,
): TUnsafe<Static<Schema>> => Type.Unsafe<Static<Schema>>({ ...schema, [DOCUMENTED_KEYWORD]: keywords });

/** A member that is accepted and not documented. */
export const undocumented = <Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema>> =>
  Type.Unsafe<Static<Schema>>({ ...schema, [DOCUMENTED_KEYWORD]: false });

/** The keywords of a schema in a document; undefined if documents leave it out. */
export function documentedKeywords(
  schema: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const { [DOCUMENTED_KEYWORD]: more, ...own } = schema;
  if (more === false) return undefined;
  return isObject(more) ? { ...own, ...more } : own;
}
