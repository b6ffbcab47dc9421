/** @import { Field, Schema } from './schema.js' */
import { choiceField } from './choice-field.js';
import { jsonField } from './json-field.js';
import { listField } from './list-field.js';
import { objectField } from './object-field.js';
import { enumOf, resolve } from './schema.js';
import { simpleField } from './simple-field.js';

/** Objects and lists below this depth are JSON fields, which also ends schemas that contain themselves. */
const MAX_DEPTH = 4;

/**
 * @typedef {object} FieldOptions
 * @property {Schema} root the whole document, for `$ref`
 * @property {Schema} schema
 * @property {string} name
 * @property {boolean} isRequired
 * @property {unknown} value
 * @property {number} depth
 * @property {boolean} [isFlat] whether an object shows its fields without a frame, because it already has one
 */

/**
 * The field for a schema. Schemas that no other field can show have a JSON field.
 * @param {FieldOptions} options
 * @returns {Field}
 */
export function fieldOf(options) {
  const schema = resolve(options.root, options.schema);
  const own = { ...options, schema, value: options.value ?? schema.default };
  if (
    enumOf(schema) ||
    ['string', 'number', 'integer', 'boolean'].includes(schema.type) ||
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
