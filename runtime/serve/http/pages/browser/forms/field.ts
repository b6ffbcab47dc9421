import { choiceField } from './choice-field.ts';
import { jsonField, simpleField } from './simple-field.ts';
import { listField } from './list-field.ts';
import { objectField } from './object-field.ts';
import { type Field, type FieldOptions, enumOf, resolve } from './schema.ts';

/**
 * Objects and lists below this depth become JSON fields. This also makes schemas that contain
 * themselves work.
 */
const MAX_DEPTH = 4;

/** Creates the field for a schema. If no other field supports the schema, the field contains JSON. */
export function fieldOf(options: FieldOptions): Field {
  const schema = resolve(options.root, options.schema);
  const own = { ...options, schema, value: options.value ?? schema.default };
  if (
    enumOf(schema) ||
    (typeof schema.type === 'string' && ['string', 'number', 'integer', 'boolean'].includes(schema.type)) ||
    schema.const !== undefined
  ) {
    return simpleField(own);
  }
  if (options.depth >= MAX_DEPTH) return jsonField(own);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(alternatives) && !schema.properties) return choiceField(own, alternatives, fieldOf);
  if (schema.type === 'array' && schema.items && !Array.isArray(schema.items)) return listField(own, fieldOf);
  if (schema.properties && Object.keys(schema.properties).length > 0) return objectField(own, fieldOf);
  return jsonField(own);
}
