import { element } from './dom.js';

/**
 * A table with column headings, and row headings in the first column.
 * @param {string} caption
 * @param {readonly string[]} columns
 * @param {readonly (readonly (Node | string)[])[]} rows
 * @param {string} style
 */
export function table(caption, columns, rows, style) {
  const head = columns.map((name) => element('th', { scope: 'col' }, name));
  const body = rows.map(([name = '', ...cells]) =>
    element('tr', {}, element('th', { scope: 'row' }, name), ...cells.map((cell) => element('td', {}, cell))),
  );
  return element(
    'table',
    { class: style },
    element('caption', { class: 'unseen' }, caption),
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...body),
  );
}
