import type { Field, FieldOptions } from './schema.ts';
import { element, withCode } from '../dom.ts';

/** A group of fields, one per property. */
export function objectField(
  { root, schema, name, isRequired, value, depth, isFlat = depth === 0 }: FieldOptions,
  fieldOf: (options: FieldOptions) => Field,
): Field {
  const values = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const required = new Set(schema.required);
  const properties = schema.properties ?? {};
  const members = Object.entries(properties).map(
    ([key, own]) =>
      [
        key,
        fieldOf({
          root,
          schema: own,
          name: key,
          isRequired: required.has(key),
          value: values[key],
          depth: depth + 1,
        }),
      ] as const,
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
          ? [element('p', { class: 'field-words' }, ...withCode(schema.description))]
          : []),
        ...nodes,
      );
  // Values of properties that the schema does not name are kept.
  const others = Object.entries(values).filter(([key]) => !Object.hasOwn(properties, key));

  const read = () => {
    const results = members.map(([key, field]) => [key, field.read()] as const);
    const problem = results.find(([, result]) => 'problem' in result);
    // If the user does not enter anything in an optional group, the group is omitted, even if it
    // has required fields.
    const entries = results.flatMap(([key, result]) =>
      'value' in result && result.value !== undefined ? [[key, result.value] as const] : [],
    );
    const isEmpty = entries.every(([, one]) => one === false) && others.length === 0;
    if (isEmpty && !isRequired && depth > 0) return { value: undefined };
    if (problem) return problem[1] as { problem: string };
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
