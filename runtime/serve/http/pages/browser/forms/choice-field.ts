import { element } from '../dom.ts';
import { lowerFirst } from '../format.ts';
import { type Field, type FieldOptions, type Schema, enumOf, resolve } from './schema.ts';

let choices = 0;

/** A field for a value with several alternatives. The alternative that the user chooses has its own field. */
export function choiceField(
  options: FieldOptions,
  alternatives: readonly Schema[],
  fieldOf: (options: FieldOptions) => Field,
): Field {
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
  let field: Field | undefined;
  const choose = (own: unknown) => {
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

function nameOf(schema: Schema, at: number): string {
  if (schema.title !== undefined) return schema.title;
  const constant = Object.values(schema.properties ?? {}).find((one) => one.const !== undefined);
  const value = constant?.const ?? schema.const ?? (enumOf(schema) ? 'choice' : schema.type);
  return value === undefined
    ? `Alternative ${at + 1}`
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
}

/**
 * Whether a value probably belongs to this alternative, because it has the same type and the same
 * constants.
 */
function isLikely(schema: Schema, value: unknown) {
  const type = Array.isArray(value) ? 'array' : typeof value;
  const expected = schema.type === 'integer' ? 'number' : (schema.type ?? type);
  if (expected !== type) return false;
  if (type !== 'object')
    return enumOf(schema)?.includes(value) ?? (schema.const === undefined || schema.const === value);
  const own = value as Record<string, unknown>;
  const isComplete = (schema.required ?? []).every((key) => Object.hasOwn(own, key));
  return (
    isComplete &&
    Object.entries(schema.properties ?? {}).every(([key, one]) => {
      const { const: constant } = one;
      return constant === undefined || own[key] === constant;
    })
  );
}
