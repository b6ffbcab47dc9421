import { isObject } from '#core/json/is-object.ts';
import type { JsonSchema } from './hoist.ts';

/** Keywords whose values are data and not schemas. */
const DATA = new Set(['examples', 'example', 'default', 'enum']);

/**
 * Converts a version 3.1 document for programs that read version 3.0, whose schemas support neither
 * type lists nor `const`.
 */
export const version30 = (document: JsonSchema): JsonSchema => ({ ...rewrite(document), openapi: '3.0.3' });

function rewrite({ type, const: constant, ...rest }: JsonSchema): JsonSchema {
  const members = Object.entries(rest).map(([key, value]) => [key, DATA.has(key) ? value : inside(value)]);
  return {
    ...typeOf(type),
    ...(constant === undefined ? {} : { enum: [constant] }),
    ...Object.fromEntries(members),
  };
}

const inside = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => inside(item));
  return isObject(value) ? rewrite(value) : value;
};

/**
 * Converts a type list to a nullable type or to alternatives. The value of a property named `type`
 * is a schema.
 */
function typeOf(type: unknown): JsonSchema {
  if (type === undefined) return {};
  if (!Array.isArray(type)) return { type: inside(type) };
  const types = type.filter((one) => one !== 'null');
  const nullable = types.length < type.length ? { nullable: true } : {};
  return types.length === 1
    ? { type: types[0], ...nullable }
    : { anyOf: types.map((one) => ({ type: one })), ...nullable };
}
