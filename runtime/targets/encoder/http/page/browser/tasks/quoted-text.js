import { element } from '../dom.js';

/**
 * A text with its results.
 * @param {number} number
 * @param {Node | string} text a string is only shown for reference and can be truncated; a node is the result itself
 * @param {...Node} findings
 */
export const quotedText = (number, text, ...findings) =>
  element(
    'article',
    { class: 'result' },
    element('h3', {}, `Text ${number}`),
    element('blockquote', { class: typeof text === 'string' ? 'quote short' : 'quote' }, text),
    ...findings,
  );
