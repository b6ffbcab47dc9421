import { element } from '../dom.js';

/**
 * Paragraphs of a description; text between backticks is code. Other markup is not supported, and nothing is parsed as HTML.
 * @param {string | undefined} text
 */
export const prose = (text) =>
  (text ?? '')
    .split(/\n(?:[^\S\n]*\n)+/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => element('p', {}, ...inline(paragraph)));

/** @param {string} text */
const inline = (text) => text.split('`').map((part, at) => (at % 2 === 1 ? element('code', {}, part) : part));
