import { element, withShare } from '../dom.js';

/**
 * A horizontal bar for a share, with its number next to it.
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
