import { element, scrollable } from '../dom.js';

/**
 * A unified diff. Removed and added lines have their signs, which the colors repeat.
 * @param {string} text
 */
export const diffView = (text) =>
  scrollable(
    'Change of the file',
    element(
      'pre',
      { class: 'diff' },
      ...text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => element('span', { class: kindOf(line) }, `${line}\n`)),
    ),
  );

/** @param {string} line */
function kindOf(line) {
  if (line.startsWith('+++') || line.startsWith('---') || line.startsWith('@@')) return 'place';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '';
}
