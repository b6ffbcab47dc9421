import { copyButton } from '../copy-button.js';
import { element, scrollable } from '../dom.js';
import { jsonText } from '../json-text.js';

/**
 * A content block of MCP, as a server sent it: its members can be missing or have other types.
 * @typedef {Record<string, unknown>} Block
 */

/** Longer texts are cut on the page; the copy button has all of them. */
const MAX_CHARACTERS = 100_000;
/** Images and sounds are shown as data URLs, in which these types run no scripts. */
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml', 'image/avif']);
const SOUNDS = new Set([
  'audio/mpeg',
  'audio/mp3',
  'audio/wav',
  'audio/x-wav',
  'audio/ogg',
  'audio/webm',
  'audio/flac',
  'audio/aac',
  'audio/mp4',
]);
const BASE64 = /^[\w+/\s-]*={0,2}$/;

/**
 * Shows a block of a result. Everything from a server becomes text, an image or a sound; nothing of it is a link or HTML.
 * @param {Block} block
 * @returns {HTMLElement}
 */
export function contentBlock(block) {
  const { type } = block;
  if (type === 'text') return textBlock(textOf(block['text']));
  if (type === 'image' || type === 'audio') return mediaBlock(block);
  if (type === 'resource' && typeof block['resource'] === 'object' && block['resource'] !== null)
    return resourceBlock(/** @type {Block} */ (block['resource']));
  if (type === 'resource_link') return linkBlock(block);
  return jsonBlock(block, 'Content');
}

/**
 * A text; JSON is indented.
 * @param {string} text
 * @param {string} [name]
 */
export function textBlock(text, name = 'Text') {
  const shown = indented(text);
  const isCut = shown.length > MAX_CHARACTERS;
  return element(
    'div',
    { class: 'result-block' },
    scrollable(name, element('pre', { class: 'result' }, isCut ? shown.slice(0, MAX_CHARACTERS) : shown)),
    element(
      'div',
      { class: 'actions' },
      copyButton('Copy', `Copy ${name}`, () => text),
      ...(isCut
        ? [
            element(
              'span',
              { class: 'hint' },
              `The first ${MAX_CHARACTERS} of ${text.length} characters are shown.`,
            ),
          ]
        : []),
    ),
  );
}

/**
 * @param {unknown} value
 * @param {string} name
 */
export const jsonBlock = (value, name) => textBlock(jsonText(value), name);

/**
 * @param {Block} block
 */
function mediaBlock({ data, mimeType, type }) {
  const mime = typeof mimeType === 'string' ? mimeType.trim().toLowerCase() : '';
  return mediaElement(textOf(data), mime) ?? binaryNote(mime || textOf(type), textOf(data).length);
}

/**
 * An image or a sound; undefined for other types, and for data that is not base64.
 * @param {string} data
 * @param {string} mime
 */
function mediaElement(data, mime) {
  if (!BASE64.test(data)) return undefined;
  const source = `data:${mime};base64,${data.replaceAll(/\s/g, '')}`;
  if (IMAGES.has(mime)) {
    const image = element('img', { class: 'result', src: source, alt: `Image (${mime})` });
    const node = element('div', { class: 'result-block' }, image);
    image.addEventListener('error', () =>
      node.replaceChildren(binaryNote(`${mime}, which the browser cannot show`, data.length)),
    );
    return node;
  }
  if (!SOUNDS.has(mime)) return undefined;
  return element(
    'div',
    { class: 'result-block' },
    element('audio', { controls: true, src: source, 'aria-label': `Sound (${mime})` }),
  );
}

/**
 * @param {string} what
 * @param {number} characters
 */
const binaryNote = (what, characters) =>
  element(
    'p',
    { class: 'hint' },
    `Binary content: ${what}, about ${Math.floor((characters * 3) / 4)} bytes.`,
  );

/**
 * Contents of a resource.
 * @param {Block} resource
 */
export function resourceBlock({ uri, mimeType, text, blob }) {
  const mime = typeof mimeType === 'string' ? mimeType.trim().toLowerCase() : '';
  const body =
    typeof text === 'string'
      ? textBlock(text, textOf(uri) || 'Resource')
      : (mediaElement(textOf(blob), mime) ?? binaryNote(mime || 'unknown type', textOf(blob).length));
  return element(
    'div',
    { class: 'result-block' },
    element('p', { class: 'hint' }, element('code', {}, textOf(uri)), mime === '' ? '' : ` (${mime})`),
    body,
  );
}

/**
 * A reference to a resource. Its address is text, because a server could name any address.
 * @param {Block} block
 */
const linkBlock = ({ uri, name, description }) =>
  element(
    'div',
    { class: 'result-block' },
    element('p', {}, `Resource ${textOf(name)}: `, element('code', {}, textOf(uri))),
    ...(description ? [element('p', { class: 'hint' }, textOf(description))] : []),
  );

/**
 * A member of a block as text; members of other types are not shown.
 * @param {unknown} value
 */
const textOf = (value) => (typeof value === 'string' ? value : '');

/** @param {string} text */
function indented(text) {
  if (!/^\s*[{[]/.test(text) || text.length > MAX_CHARACTERS) return text;
  try {
    const value = JSON.parse(text);
    // Numbers that JavaScript cannot represent would be changed.
    return JSON.stringify(value) === text.trim() ? jsonText(value) : text;
  } catch {
    return text;
  }
}
