import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import { jsonSize } from '../shared/json-size.ts';
import type { ContentBlock, ToolResult } from '../shapes/results.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { shortenValue, wholeCharacters } from './shorten-value.ts';

/** The tool that reads the rest of a text. */
export const READ_MORE = 'mcp_manager_read_more';
const RESULT_URI = 'mcp-manager://results/';

const resultUri = (id: string): string => `${RESULT_URI}${id}`;
/** Returns the ID in the URI of a part of a result; undefined for other URIs. */
export const idOfResultUri = (uri: string): string | undefined =>
  uri.startsWith(RESULT_URI) ? uri.slice(RESULT_URI.length) : undefined;

export interface ResultLimit {
  /** Maximum size of a result, in characters of JSON. */
  readonly maxCharacters: number;
  /** The tool's `outputSchema`, which clients check `structuredContent` against; undefined without one. */
  readonly outputSchema: unknown;
  /** Whether the client knows this schema, because lists contain the tool. */
  readonly isListed: boolean;
  /** Keeps a text or the contents of a resource. Returns its ID; undefined if it is too large. */
  readonly keep: (data: string | ShapeOfParams) => string | undefined;
}

/** Space for the statements about what was cut. */
const NOTICE_CHARACTERS = 400;
/** Share of the maximum above which binary data and texts in resources become links. */
const LINKED_SHARE = 1 / 4;

/** Returns a result that fits into the limit. A result that fits already is returned unchanged. */
export function limitResult(result: ToolResult, limit: ResultLimit): ToolResult {
  if (jsonSize(result, limit.maxCharacters) <= limit.maxCharacters) return result;
  return new LongResult(result, limit).shortened();
}

class LongResult {
  readonly #result: ToolResult;
  readonly #limit: ResultLimit;
  readonly #notices: string[] = [];
  #left: number;

  constructor(result: ToolResult, limit: ResultLimit) {
    this.#result = result;
    this.#limit = limit;
    // A result has up to three statements: about its text, its structured content, and its other blocks.
    this.#left = limit.maxCharacters - 3 * NOTICE_CHARACTERS;
  }

  shortened(): ToolResult {
    const { content = [], structuredContent, isError, _meta } = this.#result;
    const meta =
      _meta !== undefined && jsonSize(_meta, this.#linkedSize) <= this.#linkedSize ? { _meta } : {};
    this.#left -= jsonSize(meta);
    const blocks = content.map((block) => this.#linked(block));
    const texts = blocks.filter(isText);
    const text = texts.map((block) => block.text).join('\n');
    const structured = this.#structured(structuredContent, text);
    const others = this.#others(blocks.filter((block) => !isText(block)));
    const shown = this.#text(text);
    const notices = this.#notices.map((notice) => ({ type: 'text', text: `[${notice}]` }));
    return {
      ...meta,
      content: [...(shown === '' ? [] : [{ type: 'text', text: shown }]), ...others, ...notices],
      ...structured,
      ...(isError === true && { isError }),
    };
  }

  get #linkedSize(): number {
    return this.#limit.maxCharacters * LINKED_SHARE;
  }

  /** Replaces large binary data, and large texts in resources, with a link that the client can read. */
  #linked(block: ContentBlock): ContentBlock {
    const max = this.#linkedSize;
    if (block.type === 'text' || jsonSize(block, max) <= max) return block;
    const { mimeType, ...found } = contentsOf(block);
    if (found.contents === undefined) return block;
    const id = this.#limit.keep(found.contents);
    const kind = `${block.type === 'resource' ? 'resource' : block.type} of ${found.bytes} bytes`;
    if (id === undefined) {
      return { type: 'text', text: `[A ${kind} was left out: it is too large to be kept.]` };
    }
    return {
      type: 'resource_link',
      uri: resultUri(id),
      name: kind,
      ...(typeof mimeType === 'string' && { mimeType }),
      size: found.bytes,
    };
  }

  /** Shortens the structured content so that it still matches its schema, or leaves it out with a statement. */
  #structured(value: unknown, text: string): Pick<ToolResult, 'structuredContent' | 'isError'> {
    if (value === undefined) return {};
    const { outputSchema, isListed } = this.#limit;
    const share = text === '' ? this.#left : this.#left / 2;
    const shortened = shortenValue(value, outputSchema, share);
    if (shortened === value) {
      this.#left -= jsonSize(value);
      return { structuredContent: value };
    }
    const json = JSON.stringify(value);
    // Most servers repeat the structured content as text, which has its own statement.
    const more =
      json === text || JSON.stringify(value, null, 2) === text
        ? ''
        : this.#more('Its complete JSON', json, 0);
    if (shortened !== undefined) {
      this.#left -= jsonSize(shortened);
      this.#notices.push(`The structured content was shortened: it had ${json.length} characters.${more}`);
      return { structuredContent: shortened };
    }
    const reason = `The structured content of ${json.length} characters was left out.${more}`;
    if (outputSchema === undefined || !isListed || this.#result.isError === true) {
      this.#notices.push(reason);
      return {};
    }
    // Clients reject a successful result that does not have the structured content that its schema promises.
    this.#notices.push(
      `The tool succeeded; do not call it again. This result is only marked as an error because its structured content cannot be shortened to match the output schema. ${reason}`,
    );
    return { isError: true };
  }

  /** Returns the blocks that are not text, as far as they fit. The others become part of a text. */
  #others(blocks: readonly ContentBlock[]): ContentBlock[] {
    const kept: ContentBlock[] = [];
    const max = this.#left / 2;
    let size = 0;
    for (const block of blocks) {
      size += jsonSize(block) + 1;
      if (size > max) break;
      kept.push(block);
    }
    const rest = blocks.slice(kept.length);
    this.#left -= jsonSize(kept);
    if (rest.length > 0) {
      const json = rest.map((block) => JSON.stringify(block)).join('\n');
      this.#notices.push(`${rest.length} more parts were left out.${this.#more('They', json, 0)}`);
    }
    return kept;
  }

  #text(text: string): string {
    const escaped = Math.max(0, Math.floor(this.#left));
    if (text.length <= escaped) return text;
    const shown = cutAtLine(text, 0, escaped);
    this.#notices.push(
      `Characters 0 to ${shown.length} of ${text.length}.${this.#more('The rest', text, shown.length)}`,
    );
    return shown;
  }

  /** Keeps a text. Returns a sentence that explains how to read it. */
  #more(what: string, text: string, offset: number): string {
    const id = this.#limit.keep(text);
    return id === undefined
      ? ` ${what} cannot be read: it is too large to be kept.`
      : ` ${what} can be read with ${READ_MORE} ${JSON.stringify({ id, offset })}.`;
  }
}

/** A page of a kept text, and the offset of the next one; undefined at the end. */
export function pageOfText(
  text: string,
  offset: number,
  maxCharacters: number,
): { readonly page: string; readonly next: number | undefined } {
  const length = Math.max(MIN_PAGE, maxCharacters - NOTICE_CHARACTERS);
  const page = cutAtLine(text, offset, length);
  const next = offset + page.length;
  return { page, next: next < text.length ? next : undefined };
}

const MIN_PAGE = 200;

/** Cuts a text at the end of a line if there is one in the last part, and never within a character. */
function cutAtLine(text: string, start: number, length: number): string {
  const cut = wholeCharacters(text, start, length);
  if (start + cut.length >= text.length) return cut;
  const end = cut.lastIndexOf('\n') + 1;
  return end > cut.length * (3 / 4) ? cut.slice(0, end) : cut;
}

const isText = (block: ContentBlock): block is ContentBlock & { readonly text: string } =>
  block.type === 'text' && typeof block.text === 'string';

interface FoundContents {
  /** Contents for `resources/read`, without a URI; undefined for other blocks. */
  readonly contents?: ShapeOfParams;
  readonly mimeType?: unknown;
  readonly bytes: number;
}

function contentsOf(block: ContentBlock): FoundContents {
  if (block.type === 'image' || block.type === 'audio') {
    const { data, mimeType } = block;
    return { contents: { blob: data, mimeType }, mimeType, bytes: bytesOf(data) };
  }
  const { resource } = block;
  if (block.type !== 'resource' || !isObject(resource)) return { bytes: 0 };
  const { text, blob, mimeType } = membersOf(resource);
  return typeof text === 'string'
    ? { contents: { text, mimeType }, mimeType, bytes: Buffer.byteLength(text) }
    : { contents: { blob, mimeType }, mimeType, bytes: bytesOf(blob) };
}

/** The number of bytes in a Base64 text. */
const bytesOf = (base64: unknown): number =>
  typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0;
