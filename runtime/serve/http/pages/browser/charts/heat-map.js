import { element, scrollable, withShare } from '../dom.js';
import { short } from '../format.js';

/** Beyond this number of columns, cells have a title instead of a number. */
const MAX_NUMBERS = 24;

/**
 * A matrix of numbers as a table, whose cells are darker the larger they are. It needs no other form for screen readers.
 * @param {object} options
 * @param {string} options.title
 * @param {readonly string[]} options.rows
 * @param {readonly string[]} options.columns
 * @param {readonly (readonly (number | null)[])[]} options.cells by row
 * @param {string} [options.corner] what rows and columns are, e.g. `Actual \ predicted`
 * @param {(value: number) => string} [options.text]
 * @param {number} [options.min] of the colors; default: the smallest value, at most 0
 * @param {number} [options.max]
 */
export function heatMap({ title, rows, columns, cells, corner = '', text = short, min, max }) {
  const known = cells.flat().filter((value) => value !== null);
  const low = min ?? Math.min(0, ...known);
  const high = max ?? Math.max(low, ...known);
  const isDense = columns.length > MAX_NUMBERS;
  const cell = (
    /** @type {number | null} */ value,
    /** @type {number} */ row,
    /** @type {number} */ column,
  ) => {
    if (value === null) return element('td', {}, '–');
    const words = `${rows[row] ?? ''}, ${columns[column] ?? ''}: ${text(value)}`;
    const node = element(
      'td',
      { title: words },
      isDense ? element('span', { class: 'unseen' }, text(value)) : text(value),
    );
    return withShare(node, high === low ? 0 : Math.min(1, Math.max(0, (value - low) / (high - low))));
  };
  const body = rows.map((name, row) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      ...columns.map((_, column) => cell(cells[row]?.[column] ?? null, row, column)),
    ),
  );
  const table = element(
    'table',
    { class: isDense ? 'heat dense' : 'heat' },
    element('caption', { class: 'unseen' }, title),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        corner === '' ? element('td') : element('th', { scope: 'col' }, corner),
        ...columns.map((name) => element('th', { scope: 'col' }, name)),
      ),
    ),
    element('tbody', {}, ...body),
  );
  return element(
    'figure',
    { class: 'chart' },
    element('figcaption', {}, element('strong', {}, title)),
    scrollable(title, table),
  );
}
