import { isObject } from '#core/json/is-object.ts';
import { isRawNumber, parseLossless } from '#core/json/lossless-json.ts';
import { AppError } from '#contract/errors.ts';
import type { ContentBlock, ToolResult } from '../shapes/results.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import type { CalledItem } from './called-item.ts';

/** Binary data from results, which a script receives as handles. */
export class BinaryData {
  /** Starts the texts that stand for data in JSON. It is random, so that servers cannot create such texts. */
  readonly prefix: string;
  readonly #blocks: ContentBlock[] = [];

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  /** Keeps a block. Returns the text that stands for its data. */
  keep(block: ContentBlock): string {
    this.#blocks.push(block);
    return `${this.prefix}${this.#blocks.length}`;
  }

  /** Replaces the texts in a JSON value with what `use` returns for their blocks. */
  replace(value: unknown, use: (block: ContentBlock) => unknown): unknown {
    if (typeof value === 'string') {
      const block =
        value.startsWith(this.prefix) && this.#blocks[Number(value.slice(this.prefix.length)) - 1];
      return block ? use(block) : value;
    }
    if (Array.isArray(value)) return value.map((item) => this.replace(item, use));
    if (!isObject(value) || isRawNumber(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.replace(member, use)]));
  }
}

/** Returns the value that a script receives for the result of a call. Throws the tool's error, which starts with its name. */
export function itemValue(
  { kind, server, name }: Pick<CalledItem, 'kind' | 'server' | 'name'>,
  result: ShapeOfParams,
  binary: BinaryData,
): unknown {
  if (kind === 'prompt') return promptValue(result, binary);
  if (kind === 'resource') {
    const { contents } = result;
    return resourceValue(Array.isArray(contents) ? contents.filter(isObject) : [], binary);
  }
  try {
    return scriptValue(result, binary);
  } catch (error) {
    throw new AppError('UpstreamError', `${server}/${name}: ${AppError.from(error).message}`, {
      cause: error,
    });
  }
}

/** Returns the value that a script receives for a result. Throws the tool's error. @internal Exported for tests. */
export function scriptValue(result: ToolResult, binary: BinaryData): unknown {
  const { content = [], structuredContent, isError } = result;
  if (isError === true) {
    const data =
      structuredContent === undefined ? 'it failed without a message' : JSON.stringify(structuredContent);
    throw new AppError('UpstreamError', textOf(content) || data);
  }
  if (structuredContent !== undefined) return structuredContent;
  if (content.every(({ type }) => type === 'text')) return textValue(textOf(content));
  return content.map((block) => blockValue(block, binary));
}

/** Returns the value that a script receives for the contents of a resource: a text, a JSON value, or a list. */
function resourceValue(contents: readonly ShapeOfParams[], binary: BinaryData): unknown {
  const [only] = contents;
  if (contents.length === 1 && typeof only?.['text'] === 'string') return textValue(only['text']);
  return contents.map((resource) => blockValue({ type: 'resource', resource }, binary)['resource']);
}

/** Returns the value that a script receives for a prompt: a table with its messages. */
function promptValue({ description, messages }: ShapeOfParams, binary: BinaryData): ShapeOfParams {
  const all = Array.isArray(messages) ? messages.filter(isObject) : [];
  return {
    ...(description === undefined ? {} : { description }),
    messages: all.map(({ role, content }) => ({
      role,
      content: isContentBlock(content) ? blockValue(content, binary) : content,
    })),
  };
}

const isContentBlock = (value: unknown): value is ContentBlock =>
  isObject(value) && typeof value['type'] === 'string';

const textOf = (content: readonly ContentBlock[]): string =>
  content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n');

/**
 * Parses a text that is a JSON object or list, because most servers return their data like this. Other texts,
 * such as `5`, remain texts: they can be the content of a file.
 */
function textValue(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return parseLossless(text);
  } catch {
    return text;
  }
}

function blockValue(block: ContentBlock, binary: BinaryData): ShapeOfParams {
  const { type, mimeType, data, text, resource } = block;
  if (type === 'text') return { type, text };
  if (type === 'image' || type === 'audio')
    return { type, mimeType, data: binary.keep({ type, mimeType, data }) };
  if (type === 'resource' && isObject(resource) && typeof resource['blob'] === 'string') {
    const { uri, mimeType: kind, blob } = resource;
    const kept = binary.keep({ type, resource: { uri, mimeType: kind, blob } });
    return { type, resource: { uri, mimeType: kind, blob: kept } };
  }
  const { _meta, annotations: _annotations, ...members } = block;
  return members;
}

/** Returns a block's data, for the arguments of another call. */
export function dataOf({ type, data, resource }: ContentBlock): unknown {
  return type === 'resource' && isObject(resource) ? resource['blob'] : data;
}

/** Returns the result of a script for the client. Binary data in the value becomes content of its own. */
export function scriptResult(json: string, binary: BinaryData): ToolResult {
  if (!json.includes(JSON.stringify(binary.prefix).slice(1, -1))) {
    return { content: [{ type: 'text', text: json.startsWith('"') ? String(parseLossless(json)) : json }] };
  }
  const blocks: ContentBlock[] = [];
  const value = binary.replace(parseLossless(json), (block) => {
    if (!blocks.includes(block)) blocks.push(block);
    return `[${block.type} ${blocks.indexOf(block) + 1}]`;
  });
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { content: [{ type: 'text', text }, ...blocks] };
}
