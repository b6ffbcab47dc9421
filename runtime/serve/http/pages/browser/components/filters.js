import { element } from '../dom.js';

/**
 * @typedef {object} Filter
 * @property {string} key
 * @property {string} title
 * @property {'text' | 'choice' | 'date'} kind
 * @property {readonly (string | { value: string, name: string })[]} [choices] of a choice
 */

/**
 * Minimum time between two changes of a text filter. The first one is applied immediately. Each one changes the address, and browsers
 * allow about 200 changes in 10 seconds.
 */
const TYPING_MS = 100;

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
    let appliedAt = -Infinity;
    const apply = () => {
      clearTimeout(typing);
      appliedAt = performance.now();
      onChange(filter.key, field.value.trim());
    };
    field.addEventListener('change', apply);
    if (filter.kind === 'text') {
      field.addEventListener('input', () => {
        clearTimeout(typing);
        const wait = appliedAt + TYPING_MS - performance.now();
        if (wait <= 0) apply();
        else typing = setTimeout(apply, wait);
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
