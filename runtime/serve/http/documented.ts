import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { isObject } from '#core/json/is-object.ts';

/**
 * Schema keyword: additional keywords for documents, or `false` for a member that documents omit.
 * Validation ignores it. It is for limits that are checked elsewhere, with a better message, and
 * for members that only older clients send.
 */
export const DOCUMENTED_KEYWORD = 'x-documented';

/** A schema with additional keywords in documents. */
export const documented = <Schema extends TSchema>(
  schema: Schema,
  keywords: Readonly<Record<string, unknown>>,
): TUnsafe<Static<Schema>> => Type.Unsafe<Static<Schema>>({ ...schema, [DOCUMENTED_KEYWORD]: keywords });

/** A member that is accepted but not documented. */
export const undocumented = <Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema>> =>
  Type.Unsafe<Static<Schema>>({ ...schema, [DOCUMENTED_KEYWORD]: false });

/** A schema's keywords for a document; undefined if documents omit it. */
export function documentedKeywords(
  schema: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const { [DOCUMENTED_KEYWORD]: more, ...own } = schema;
  if (more === false) return undefined;
  return isObject(more) ? { ...own, ...more } : own;
}
