/** @import { Field } from './schema.js' */
/** @import { FieldOptions } from './field.js' */
import { element } from '../dom.js';

/**
 * A group of fields, one for each property.
 * @param {FieldOptions} options
 * @param {(options: FieldOptions) => Field} fieldOf
 * @returns {Field}
 */
export function objectField({ root, schema, name, isRequired, value, depth, isFlat = depth === 0 }, fieldOf) {
  const values =
    typeof value === 'object' && value !== null ? /** @type {Record<string, unknown>} */ (value) : {};
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties).map(
    ([key, own]) =>
      /** @type {const} */ ([
        key,
        fieldOf({
          root,
          schema: own,
          name: key,
          isRequired: required.has(key),
          value: values[key],
          depth: depth + 1,
        }),
      ]),
  );
  const nodes = members.map(([, { node }]) => node);
  const title = schema.title ?? name;
  const node = isFlat
    ? element('div', { class: 'fields-of' }, ...nodes)
    : element(
        'fieldset',
        {},
        element(
          'legend',
          {},
          title,
          ...(isRequired ? [] : [element('span', { class: 'optional' }, ' optional')]),
        ),
        ...(typeof schema.description === 'string'
          ? [element('p', { class: 'field-words' }, schema.description)]
          : []),
        ...nodes,
      );
  // Values of properties that the schema does not name are kept.
  const others = Object.entries(values).filter(([key]) => !Object.hasOwn(schema.properties, key));

  const read = () => {
    const results = members.map(([key, field]) => /** @type {const} */ ([key, field.read()]));
    const problem = results.find(([, result]) => 'problem' in result);
    // An optional group of which nothing is entered is omitted, even if it has required fields.
    const entries = results.flatMap(([key, result]) =>
      'value' in result && result.value !== undefined ? [/** @type {const} */ ([key, result.value])] : [],
    );
    const isEmpty = entries.every(([, one]) => one === false) && others.length === 0;
    if (isEmpty && !isRequired && depth > 0) return { value: undefined };
    if (problem) return /** @type {{ problem: string }} */ (problem[1]);
    return { value: Object.fromEntries([...others, ...entries]) };
  };
  return {
    node,
    read,
    check() {
      const result = read();
      if ('value' in result && result.value === undefined) return true;
      return members.map(([, field]) => field.check()).every(Boolean);
    },
    focus: () => (members.find(([, field]) => 'problem' in field.read()) ?? members[0])?.[1].focus(),
  };
}
