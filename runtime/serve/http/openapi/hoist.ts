import { isObject } from '#core/json/is-object.ts';
import { documentedKeywords } from '../documented.ts';

/** A schema as JSON, for an OpenAPI document. */
export type JsonSchema = Record<string, unknown>;

/**
 * Moves every subschema that has an `$id` to `components/schemas` under that name, and replaces it
 * with a reference. Custom keywords (`x-…`) that concern documents are applied. All custom keywords
 * are removed.
 */
export function hoist(schema: unknown, components: Record<string, JsonSchema>): JsonSchema {
  const { $id, ...own } = isObject(schema) ? (documentedKeywords(schema) ?? {}) : {};
  const plain = copy(own, components);
  if (typeof $id !== 'string') return plain;
  components[$id] = plain;
  return { $ref: `#/components/schemas/${$id}` };
}

function copy(schema: JsonSchema, components: Record<string, JsonSchema>): JsonSchema {
  const entries = Object.entries(schema).filter(([keyword]) => !keyword.startsWith('x-'));
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, inside(keyword, value, components)]));
}

/** Only these keywords contain schemas. Other keywords, such as `default` and `enum`, contain data. */
function inside(keyword: string, value: unknown, components: Record<string, JsonSchema>): unknown {
  switch (keyword) {
    case 'properties':
      return Object.fromEntries(
        Object.entries(isObject(value) ? value : {})
          .filter(([, part]) => !isObject(part) || documentedKeywords(part) !== undefined)
          .map(([name, part]) => [name, hoist(part, components)]),
      );
    case 'anyOf':
    case 'oneOf':
      return Array.isArray(value) ? value.map((part) => hoist(part, components)) : value;
    case 'items':
    case 'additionalProperties':
      return typeof value === 'object' ? hoist(value, components) : value;
    default:
      return value;
  }
}
