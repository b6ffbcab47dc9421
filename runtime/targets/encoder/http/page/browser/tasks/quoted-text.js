import { element } from '../dom.js';

/**
 * One text with what the model says of it.
 * @param {number} number
 * @param {Node | string} text a string is only named, and may be cut; a drawn text is the finding itself
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
