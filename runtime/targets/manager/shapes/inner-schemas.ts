import { LIST_OF_SCHEMAS, MAP_OF_SCHEMAS, ONE_SCHEMA } from '../shared/schema-places.ts';

/** Returns a keyword's value with each direct subschema replaced. */
export function mapInnerSchemas(
  keyword: string,
  value: unknown,
  replace: (schema: unknown) => unknown,
): unknown {
  if (LIST_OF_SCHEMAS.has(keyword) && Array.isArray(value)) return value.map(replace);
  if (ONE_SCHEMA.has(keyword)) return replace(value);
  if (!MAP_OF_SCHEMAS.has(keyword) || typeof value !== 'object' || value === null || Array.isArray(value)) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, replace(part)]));
}
