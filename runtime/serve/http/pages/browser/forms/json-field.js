/** @import { Field } from './schema.js' */
/** @import { FieldOptions } from './field.js' */
import { element } from '../dom.js';
import { jsonText } from '../json-text.js';
import { labelled } from './simple-field.js';

/**
 * A field for a value that no other field can show, written as JSON.
 * @param {FieldOptions} options
 * @returns {Field}
 */
export function jsonField({ schema, name, isRequired, value }) {
  const input = element('textarea', { rows: 4, spellcheck: 'false', class: 'json' });
  input.value = value === undefined || value === null ? '' : jsonText(value);
  const title = `${schema.title ?? name} (JSON)`;
  return labelled({ schema: { ...schema, title }, name, isRequired }, input, (text) =>
    readJson(schema.type, text),
  );
}

/**
 * @param {unknown} type
 * @param {string} text
 */
function readJson(type, text) {
  try {
    const value = JSON.parse(text);
    const actual = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
    const isFitting = (type !== 'object' && type !== 'array') || type === actual;
    return isFitting ? { value } : { problem: `Enter a JSON ${type}.` };
  } catch (error) {
    return { problem: `Enter valid JSON. ${error instanceof Error ? error.message : ''}` };
  }
}
