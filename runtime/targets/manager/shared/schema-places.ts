/**
 * JSON Schema keywords that contain schemas, also of drafts before 2020-12; all others contain data. `items` contains one
 * schema or, in those drafts, a list.
 */
export const ONE_SCHEMA: ReadonlySet<string> = new Set([
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
export const LIST_OF_SCHEMAS: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'items',
  'oneOf',
  'prefixItems',
]);
/** Schemas that others refer to. */
export const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);
export const MAP_OF_SCHEMAS: ReadonlySet<string> = new Set([
  ...DEFINITIONS,
  'dependentSchemas',
  'patternProperties',
  'properties',
]);
