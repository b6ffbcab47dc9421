import { element } from '../dom.js';

/**
 * Names with their values, one per line.
 * @param {readonly (readonly [name: string, value: Node | string])[]} list
 */
export const facts = (list) =>
  element(
    'dl',
    { class: 'facts' },
    ...list.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  );

/**
 * Large numbers with their names, next to each other.
 * @param {readonly { name: string, value: Node | string, note?: Node | string, kind?: 'good' | 'warning' | 'alarm' }[]} list
 */
export const figures = (list) =>
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

/**
 * A short state in words, with a color that only repeats them.
 * @param {string} words
 * @param {'good' | 'warning' | 'alarm' | 'plain'} [kind]
 */
export const badge = (words, kind = 'plain') => element('span', { class: `badge ${kind}` }, words);
