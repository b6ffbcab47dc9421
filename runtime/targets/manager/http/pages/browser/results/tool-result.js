/** @import { Block } from './content.js' */
import { badge } from '../components/facts.js';
import { element } from '../dom.js';
import { duration } from '../format.js';
import { contentBlock, jsonBlock } from './content.js';

/**
 * The result of a tool: its content, its structured content, and whether it is an error.
 * @param {{ content?: readonly Block[], structuredContent?: unknown, isError?: boolean }} result
 * @param {number} milliseconds
 */
export function toolResult({ content = [], structuredContent, isError = false }, milliseconds) {
  const blocks = content.map(contentBlock);
  return element(
    'div',
    { class: `tool-result${isError ? ' notice' : ''}` },
    element(
      'p',
      {},
      isError ? badge('the tool reported an error', 'alarm') : badge('ok', 'good'),
      ` ${duration(milliseconds)}`,
    ),
    ...blocks,
    ...(structuredContent === undefined
      ? []
      : [element('h3', {}, 'Structured content'), jsonBlock(structuredContent, 'Structured content')]),
    ...(blocks.length === 0 && structuredContent === undefined
      ? [element('p', { class: 'hint' }, 'The result is empty.')]
      : []),
  );
}
