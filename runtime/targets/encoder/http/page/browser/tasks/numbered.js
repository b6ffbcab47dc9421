import { element } from '../dom.js';

/**
 * A text on one line, after the number of its box.
 * @param {number} number
 * @param {string} text
 */
export const numbered = (number, text) =>
  element('span', { class: 'numbered' }, element('b', {}, String(number)), ' ', element('span', {}, text));
