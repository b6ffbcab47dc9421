/** JSON Schema 2020-12 keywords that contain schemas; all others contain data. */
const ONE_SCHEMA = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const LIST_OF_SCHEMAS = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const MAP_OF_SCHEMAS = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

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
