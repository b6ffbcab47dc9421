import { isObject } from '#core/json/is-object.ts';
import { isRawNumber } from '#core/json/lossless-json.ts';

/**
 * Replaces empty objects with empty lists where a schema requires a list, because Lua writes both as `{}`.
 * References and alternatives in the schema are not followed.
 */
export function emptyLists(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => emptyLists(item, schema['items']));
  if (!isObject(value) || isRawNumber(value)) return value;
  const members = Object.entries(value);
  if (members.length === 0) return requiresList(schema['type']) ? [] : value;
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      emptyLists(member, Object.hasOwn(properties, name) ? properties[name] : schema['additionalProperties']),
    ]),
  );
}

const requiresList = (type: unknown): boolean =>
  type === 'array' || (Array.isArray(type) && type.includes('array') && !type.includes('object'));
