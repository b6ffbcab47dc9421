import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { isObject } from '#core/json/is-object.ts';

/**
 * A schema keyword whose value is an object with additional keywords for OpenAPI documents, or
 * `false` for a field that documents omit. Validation ignores the keyword. It is used for limits
 * that are checked elsewhere with a better message, and for fields that only older clients send.
 */
export const DOCUMENTED_KEYWORD = 'x-documented';

/** Returns a schema that has additional keywords in OpenAPI documents. */
export const documented = <Schema extends TSchema>(
  schema: Schema,
  keywords: Readonly<Record<string, unknown>>,
): TUnsafe<Static<Schema>> => Type.Unsafe<Static<Schema>>({ ...schema, [DOCUMENTED_KEYWORD]: keywords });

/** Returns the schema of a field that is accepted but not documented. */
export const undocumented = <Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema>> =>
  Type.Unsafe<Static<Schema>>({ ...schema, [DOCUMENTED_KEYWORD]: false });

/** Returns a schema's keywords for an OpenAPI document; undefined if documents omit the schema. */
export function documentedKeywords(
  schema: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const { [DOCUMENTED_KEYWORD]: more, ...own } = schema;
  if (more === false) return undefined;
  return isObject(more) ? { ...own, ...more } : own;
}
