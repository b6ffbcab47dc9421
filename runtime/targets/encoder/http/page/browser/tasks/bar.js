import { element, withShare } from '../dom.js';

/**
 * A share as a bar, and its number beside it.
 * @param {number} share
 * @param {string} shown
 */
export const bar = (share, shown) =>
  element(
    'div',
    { class: 'measure' },
    withShare(element('span', { class: 'bar', 'aria-hidden': 'true' }), share),
    shown,
  );
