/** @import { Field, Schema } from './schema.js' */
/** @import { FieldOptions } from './field.js' */
import { element } from '../dom.js';
import { lowerFirst } from '../format.js';
import { enumOf, resolve } from './schema.js';

let choices = 0;

/**
 * Alternatives of a value: the chosen one has its own field.
 * @param {FieldOptions} options
 * @param {readonly Schema[]} alternatives
 * @param {(options: FieldOptions) => Field} fieldOf
 * @returns {Field}
 */
export function choiceField(options, alternatives, fieldOf) {
  const { root, schema, name, isRequired, value, depth } = options;
  const id = `choice-${++choices}`;
  const title = schema.title ?? name;
  const known = alternatives.map((one) => resolve(root, one));
  const select = element(
    'select',
    { id },
    ...(isRequired ? [] : [element('option', { value: '' }, 'None')]),
    ...known.map((one, at) => element('option', { value: at }, nameOf(one, at))),
  );
  const place = element('div', { class: 'fields-of' });
  /** @type {Field | undefined} */
  let field;
  const choose = (/** @type {unknown} */ own) => {
    const chosen = select.value === '' ? undefined : known[Number(select.value)];
    field =
      chosen &&
      fieldOf({
        root,
        schema: chosen,
        name: nameOf(chosen, Number(select.value)),
        isRequired: true,
        value: own,
        depth: depth + 1,
        isFlat: true,
      });
    place.replaceChildren(...(field ? [field.node] : []));
  };
  const at = value === undefined ? -1 : known.findIndex((one) => isLikely(one, value));
  select.value = at === -1 ? (isRequired ? '0' : '') : String(at);
  choose(value);
  select.addEventListener('change', () => choose(undefined));
  return {
    node: element(
      'fieldset',
      {},
      element('legend', {}, title),
      element('p', { class: 'field' }, element('label', { for: id }, `Kind of ${lowerFirst(title)}`), select),
      place,
    ),
    read: () => field?.read() ?? { value: undefined },
    check: () => field?.check() ?? true,
    focus: () => (field ?? select).focus(),
  };
}

/**
 * @param {Schema} schema
 * @param {number} at
 */
function nameOf(schema, at) {
  const constant = Object.values(schema.properties ?? {}).find((one) => one?.const !== undefined);
  return String(
    schema.title ??
      constant?.const ??
      schema.const ??
      (enumOf(schema) ? 'choice' : schema.type) ??
      `Alternative ${at + 1}`,
  );
}

/**
 * Whether a value is likely of this alternative: same type, and same constants.
 * @param {Schema} schema
 * @param {unknown} value
 */
function isLikely(schema, value) {
  const type = Array.isArray(value) ? 'array' : typeof value;
  const expected = schema.type === 'integer' ? 'number' : (schema.type ?? type);
  if (expected !== type) return false;
  if (type !== 'object')
    return enumOf(schema)?.includes(value) ?? (schema.const === undefined || schema.const === value);
  const own = /** @type {Record<string, unknown>} */ (value);
  const isComplete = (schema.required ?? []).every((/** @type {string} */ key) => Object.hasOwn(own, key));
  return (
    isComplete &&
    Object.entries(schema.properties ?? {}).every(([key, one]) => {
      const { const: constant } = one;
      return constant === undefined || own[key] === constant;
    })
  );
}
