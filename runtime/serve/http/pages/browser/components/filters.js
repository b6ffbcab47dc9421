import { element } from '../dom.js';

/**
 * @typedef {object} Filter
 * @property {string} key
 * @property {string} title
 * @property {'text' | 'choice' | 'date'} kind
 * @property {readonly (string | { value: string, name: string })[]} [choices] of a choice
 */

/** Typing pauses for this long before a text filter is applied. */
const TYPING_MS = 250;

let rows = 0;

/**
 * The fields above a table that filter its rows.
 * @param {readonly Filter[]} filters
 * @param {Record<string, string>} values
 * @param {(key: string, value: string) => void} onChange
 */
export function filterRow(filters, values, onChange) {
  const row = ++rows;
  const fields = filters.map((filter) => {
    const id = `filter-${row}-${filter.key}`;
    const field = fieldOf(filter, id);
    field.value = values[filter.key] ?? '';
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let typing;
    const apply = () => {
      clearTimeout(typing);
      onChange(filter.key, field.value.trim());
    };
    field.addEventListener('change', apply);
    if (filter.kind === 'text') {
      field.addEventListener('input', () => {
        clearTimeout(typing);
        typing = setTimeout(apply, TYPING_MS);
      });
    }
    return element(
      'p',
      { class: `filter ${filter.kind}` },
      element('label', { for: id }, filter.title),
      field,
    );
  });
  return element('search', { class: 'filters' }, ...fields);
}

/**
 * @param {Filter} filter
 * @param {string} id
 */
function fieldOf({ kind, choices = [] }, id) {
  if (kind === 'date') return element('input', { id, type: 'date' });
  if (kind === 'text')
    return element('input', { id, type: 'search', autocomplete: 'off', spellcheck: 'false' });
  const options = choices.map((choice) =>
    typeof choice === 'string' ? { value: choice, name: choice } : choice,
  );
  return element(
    'select',
    { id },
    element('option', { value: '' }, 'Any'),
    ...options.map(({ value, name }) => element('option', { value }, name)),
  );
}
