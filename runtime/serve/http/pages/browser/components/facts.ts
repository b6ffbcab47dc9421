import { element } from '../dom.ts';

/** Names with their values, one per line. */
export const facts = (list: readonly (readonly [name: string, value: Node | string])[]) =>
  element(
    'dl',
    { class: 'facts' },
    ...list.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  );

/** Large numbers with their names, next to each other. */
export const figures = (
  list: readonly {
    name: string;
    value: Node | string;
    note?: Node | string;
    kind?: 'good' | 'warning' | 'alarm';
  }[],
) =>
  element(
    'dl',
    { class: 'large-figures' },
    ...list.map(({ name, value, note, kind }) =>
      element(
        'div',
        kind ? { class: kind } : {},
        element('dt', {}, name),
        element('dd', {}, value),
        ...(note === undefined ? [] : [element('dd', { class: 'note' }, note)]),
      ),
    ),
  );

/** A short status text. Its color does not convey any additional information. */
export const badge = (words: string, kind: 'good' | 'warning' | 'alarm' | 'plain' = 'plain') =>
  element('span', { class: `badge ${kind}` }, words);

/** A table with column headings, and row headings in the first column. */
export function table(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly (Node | string)[])[],
  style: string,
) {
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
