import type { Field, FieldOptions } from './schema.ts';
import { element, withCode } from '../dom.ts';
import { lowerFirst } from '../format.ts';

/** A list of fields, with buttons to add and remove items. */
export function listField(
  { root, schema, name, isRequired, value, depth }: FieldOptions,
  fieldOf: (options: FieldOptions) => Field,
): Field {
  const title = schema.title ?? name;
  const list = element('ol', { class: 'list-field' });
  const problem = element('p', { class: 'field-problem', role: 'status' });
  const add = element('button', { type: 'button', class: 'quiet' }, `Add to ${lowerFirst(title)}`);
  let items = [] as { field: Field; row: HTMLElement }[];

  const append = (own: unknown) => {
    const field = fieldOf({
      root,
      schema: schema.items ?? {},
      name: `${title} ${items.length + 1}`,
      isRequired: true,
      value: own,
      depth: depth + 1,
    });
    const remove = element(
      'button',
      { type: 'button', class: 'quiet', 'aria-label': `Remove from ${title}` },
      '×',
    );
    const row = element('li', {}, field.node, remove);
    remove.addEventListener('click', () => {
      const at = items.findIndex((item) => item.row === row);
      items = items.filter((item) => item.row !== row);
      row.remove();
      const next = items[Math.min(at, items.length - 1)];
      if (next) next.field.focus();
      else add.focus();
    });
    items.push({ field, row });
    list.append(row);
    return field;
  };
  for (const one of Array.isArray(value) ? value : []) append(one);
  add.addEventListener('click', () => append(undefined).focus());

  const read = () => {
    const results = items.map(({ field }) => field.read());
    const bad = results.find((result) => 'problem' in result);
    if (bad) return bad;
    if (items.length === 0 && !isRequired) return { value: undefined };
    const { minItems = 0, maxItems = Infinity } = schema;
    if (items.length < minItems) return { problem: `Add at least ${minItems}.` };
    if (items.length > maxItems) return { problem: `Remove some: the maximum is ${maxItems}.` };
    return { value: results.map((result) => ('value' in result ? result.value : undefined)) };
  };
  const words =
    typeof schema.description === 'string'
      ? [element('p', { class: 'field-words' }, ...withCode(schema.description))]
      : [];
  const legend = element(
    'legend',
    {},
    title,
    ...(isRequired ? [] : [element('span', { class: 'optional' }, ' optional')]),
  );
  return {
    node: element('fieldset', {}, legend, ...words, list, add, problem),
    read,
    check() {
      const isGood = items.map(({ field }) => field.check()).every(Boolean);
      const result = read();
      problem.textContent = isGood && 'problem' in result ? result.problem : '';
      return isGood && !('problem' in result);
    },
    focus: () =>
      (items.find(({ field }) => 'problem' in field.read())?.field ?? { focus: () => add.focus() }).focus(),
  };
}
