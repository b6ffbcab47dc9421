import { copyButton } from '#serve/http/pages/browser/copy-button.ts';
import { element, scrollable } from '#serve/http/pages/browser/dom.ts';
import { jsonText } from '#serve/http/pages/browser/json-text.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { duration } from '#serve/http/pages/browser/format.ts';

/** An MCP content block as the server sent it. Fields can be missing or have other types. */
export type Block = Record<string, unknown>;

/** Longer texts are truncated on the page; the copy button copies the full text. */
const MAX_CHARACTERS = 100_000;
/** Images and audio of these types are shown as data URLs, because they cannot run scripts. */
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

/** Shows a result block. Everything from a server becomes text, an image or audio, never a link or HTML. */
export function contentBlock(block: Block): HTMLElement {
  const { type } = block;
  if (type === 'text') return textBlock(textOf(block['text']));
  if (type === 'image' || type === 'audio') return mediaBlock(block);
  if (type === 'resource' && typeof block['resource'] === 'object' && block['resource'] !== null)
    return resourceBlock(block['resource'] as Block);
  if (type === 'resource_link') return linkBlock(block);
  return jsonBlock(block, 'Content');
}

/** A text block; JSON is indented. */
function textBlock(text: string, name = 'Text') {
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

export const jsonBlock = (value: unknown, name: string) => textBlock(jsonText(value), name);

function mediaBlock({ data, mimeType, type }: Block) {
  const mime = typeof mimeType === 'string' ? mimeType.trim().toLowerCase() : '';
  return mediaElement(textOf(data), mime) ?? binaryNote(mime || textOf(type), textOf(data).length);
}

/** An image or audio block; undefined for other types, and for invalid base64. */
function mediaElement(data: string, mime: string) {
  if (!BASE64.test(data)) return undefined;
  const source = `data:${mime};base64,${data.replaceAll(/\s/g, '')}`;
  if (IMAGES.has(mime)) {
    const image = element('img', { class: 'result', src: source, alt: `Image (${mime})` });
    const node = element('div', { class: 'result-block' }, image);
    image.addEventListener('error', () =>
      node.replaceChildren(binaryNote(`${mime}, which the browser cannot display`, data.length)),
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

const binaryNote = (what: string, characters: number) =>
  element(
    'p',
    { class: 'hint' },
    `Binary content: ${what}, about ${Math.floor((characters * 3) / 4)} bytes.`,
  );

/** An embedded resource. */
export function resourceBlock({ uri, mimeType, text, blob }: Block) {
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

/** A link to a resource. The URI is shown as text, because a server could send any URI. */
const linkBlock = ({ uri, name, description }: Block) =>
  element(
    'div',
    { class: 'result-block' },
    element('p', {}, `Resource ${textOf(name)}: `, element('code', {}, textOf(uri))),
    ...(description ? [element('p', { class: 'hint' }, textOf(description))] : []),
  );

/** Returns a field of a content block if it is a string. Other types are not shown. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function indented(text: string) {
  if (!/^\s*[{[]/.test(text) || text.length > MAX_CHARACTERS) return text;
  try {
    const value = JSON.parse(text);
    // Keeps the original digits of numbers that JavaScript cannot represent.
    return JSON.stringify(value) === text.trim() ? jsonText(value) : text;
  } catch {
    return text;
  }
}

/** The result of a server call. */
export interface CallResult {
  readonly content?: readonly Block[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** A tool result: its content, its structured content, and whether it is an error. */
export function toolResult(
  { content = [], structuredContent, isError = false }: CallResult,
  milliseconds: number,
) {
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
