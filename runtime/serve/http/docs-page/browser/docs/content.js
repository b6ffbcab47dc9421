/** @import { OpenApi } from './schema.js' */
import { element } from '../dom.js';
import { jsonText } from '../json-text.js';
import { fields, resolved, typeText } from './schema.js';

/**
 * The content of a body for each of its types: fields and examples.
 * @param {OpenApi} api
 * @param {Record<string, any> | undefined} content
 */
export function contents(api, content) {
  return Object.entries(content ?? {}).flatMap(([type, media]) => [
    element('p', { class: 'content-type' }, element('code', {}, type), ` ${typeText(api, media.schema)}`),
    ...fields(api, media.schema),
    ...examples(examplesOf(api, media)),
  ]);
}

/**
 * @param {OpenApi} api
 * @param {any} media
 * @returns {[string, unknown][]}
 */
export function examplesOf(api, { schema, example, examples: named }) {
  const single = example ?? resolved(api, schema)?.example;
  if (single !== undefined) return [['Example', single]];
  return Object.entries(named ?? {}).map(([name, one]) => [name, resolved(api, one).value]);
}

/**
 * Shows the first example; the others are expandable.
 * @param {readonly [string, unknown][]} all
 */
function examples([first, ...others]) {
  return [
    ...(first ? [exampleBox('Example', first[1])] : []),
    ...others.map(([name, value]) =>
      element('details', {}, element('summary', {}, `Example: ${name}`), exampleBox(name, value)),
    ),
  ];
}

/**
 * @param {string} name
 * @param {unknown} value
 */
const exampleBox = (name, value) =>
  element('pre', { tabindex: 0, role: 'group', 'aria-label': name }, element('code', {}, exampleText(value)));

/** @param {unknown} value */
export const exampleText = (value) => (typeof value === 'string' ? value : jsonText(value));
