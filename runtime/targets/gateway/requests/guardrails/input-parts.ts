import { membersOf } from '#core/json/members-of.ts';
import { isObject } from '#core/json/is-object.ts';
import { pushAll } from '#core/values/push-all.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import { checkedReadings } from './readings.ts';

/** Request members that models do not read, such as settings and the caller's identity. */
export const SETTINGS = new Set(
  [
    ['model', 'guardrails', 'user', 'metadata', 'safety_identifier', 'prompt_cache_key', 'service_tier'],
    [
      'stop',
      'stop_sequences',
      'tool_choice',
      'function_call',
      'include',
      'modalities',
      'audio',
      'truncation',
    ],
    ['encoding_format', 'reasoning', 'reasoning_effort', 'verbosity', 'thinking', 'stream_options', 'betas'],
    ['previous_response_id', 'conversation', 'container', 'inference_geo', 'speed'],
    ['safetySettings', 'toolConfig', 'cachedContent'],
  ].flat(),
);

/**
 * Members whose strings are IDs, types, URLs or encoded data. Objects and lists inside them are still
 * searched for texts.
 */
export const NON_TEXT_MEMBERS = new Set(
  [
    [
      'id',
      'call_id',
      'tool_call_id',
      'tool_use_id',
      'file_id',
      'item_id',
      'container_id',
      'vector_store_ids',
    ],
    ['type', 'role', 'status', 'phase', 'detail', 'effort', 'verbosity', 'format', 'syntax', 'ttl', 'model'],
    ['url', 'image_url', 'file_url', 'server_url', 'server_label', 'authorization', 'authorization_token'],
    ['data', 'file_data', 'media_type', 'mime_type', 'signature', 'thought_signature', 'encrypted_content'],
    ['mimeType', 'fileUri', 'thoughtSignature', 'responseMimeType'],
  ].flat(),
);

/**
 * Members that are objects with arbitrary names, including names in the sets above. All of their contents
 * are checked.
 */
export const FREE_FORM_MEMBERS = new Set(
  'input arguments args response attributes variables default const enum examples chat_template_kwargs'.split(
    ' ',
  ),
);

/** How to search for texts. */
interface Search {
  /** Returns the text in each way in which it can be read. */
  readonly read: (text: string) => readonly string[];
  /** Whether the names in schemas also count as texts. */
  readonly withNames?: boolean;
  /** Whether texts in encoded data, which models decode, also count. */
  readonly withEncoded?: boolean;
}

const CHECKED: Search = { read: checkedReadings, withEncoded: true };

const WRITTEN: Search = { read: (text) => [text] };

/**
 * All texts in a request to any client API: every string that is not known to be something else. Texts in
 * members unknown to the gateway, e.g. in provider-specific ones, are therefore not missed.
 */
export const checkedTexts = (body: Json): string[] => inputTexts(body, CHECKED);

/** The texts whose tokens are counted: each text once, as written, without the texts in encoded data. */
export const writtenTexts = (body: Json): string[] => inputTexts(body, WRITTEN);

function inputTexts(body: Json, search: Search): string[] {
  return Object.entries(body)
    .filter(
      ([name, member]) => (typeof member === 'object' || typeof member === 'string') && !SETTINGS.has(name),
    )
    .flatMap(([name, member]) => {
      // Models also read the names of tool parameters. The texts of a schema are joined so that encoders
      // judge the schema as a whole.
      if (SCHEMAS.has(name)) return textOfEach(member, search);
      return textsIn(name === 'input' ? member : { [name]: member }, search);
    });
}

export const SCHEMAS = new Set([
  'tools',
  'functions',
  'response_format',
  'text',
  'output_config',
  'output_format',
]);

const textOfEach = (member: unknown, { read }: Search): string[] =>
  (Array.isArray(member) ? member : [member])
    .map((one) => textsIn(one, { read, withNames: true }).join('\n'))
    .filter((text) => text !== '');

/** JSON Schema keywords whose members have names chosen by the schema's author. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

function textsIn(value: unknown, { read, withNames = false, withEncoded = false }: Search): string[] {
  const texts: string[] = [];
  const collect = (found: unknown, isText: boolean): void => {
    if (typeof found === 'string') {
      if (isText && found !== '') pushAll(texts, read(found));
    } else if (Array.isArray(found)) {
      for (const item of found) collect(item, isText);
    } else if (typeof found === 'object' && found !== null) {
      for (const name of Object.keys(found)) collectMember(name, (found as Json)[name], found);
    }
  };
  const collectMember = (name: string, member: unknown, around: object): void => {
    if (withNames && MAPS.has(name)) for (const own of Object.keys(Object(member))) texts.push(own);
    // MCP server headers contain credentials.
    if (withNames && name === 'headers' && around === value && isMcpTool(around)) return;
    // In Anthropic's API, `data` contains the text of a plain text document.
    const isPlain = name === 'data' && 'type' in around && around.type === 'text';
    const isWhole = FREE_FORM_MEMBERS.has(name) && typeof member === 'object' && member !== null;
    if (isWhole) return collectWhole(member);
    const isText = isPlain || !NON_TEXT_MEMBERS.has(name);
    collect(member, isText);
    if (isText || !withEncoded || typeof member !== 'string') return;
    const encoded = encodedText(name, member);
    if (encoded !== undefined) collect(encoded, true);
  };
  const collectWhole = (member: object): void => {
    const written = JSON.stringify(member);
    texts.push(written);
    // In JSON, line breaks and quotes are escaped, which a pattern does not expect.
    if (read !== WRITTEN.read && written.includes('\\')) collectStrings(member, texts);
  };
  collect(value, true);
  return texts;
}

/** Adds all strings whose JSON contains escapes, including strings in lists and objects. */
function collectStrings(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (JSON.stringify(value).includes('\\')) pushAll(texts, checkedReadings(value));
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collectStrings(member, texts);
  }
}

/** Whether a tool is an MCP server that the provider calls. */
export const isMcpTool = (tool: unknown): tool is Json => isObject(tool) && tool['type'] === 'mcp';

/** Request members whose strings can be encoded data: Base64, or a data URL. */
const DATA_MEMBERS: ReadonlySet<string> = new Set(
  'data file_data url image_url file_url fileUri file_uri'.split(' '),
);

const DATA_URL = /^data:([^,]{0,200}),/i;

const BASE64 = /^[\w+/=\s-]{8,}$/;

/** Number of bytes at each end of the data that are examined to determine whether the data can be text. */
const SAMPLE_BYTES = 4096;

/** Bytes count as text if at most one in this many characters is a control character or invalid. */
const CHARACTERS_PER_FLAW = 20;

/** A text that was found in encoded bytes. */
interface DecodedText {
  readonly text: string;
  /** Whether the bytes are exactly this text in UTF-8. */
  readonly isExact: boolean;
}

/**
 * The text contained in bytes, regardless of the declared type: UTF-8, possibly with some invalid bytes, or
 * UTF-16. Undefined for other data, such as images, where most bytes are not text.
 */
export function textOfBytes(bytes: Uint8Array): DecodedText | undefined {
  const ends = [bytes.subarray(0, SAMPLE_BYTES), bytes.subarray(-SAMPLE_BYTES)];
  if (!ends.some((end) => isReadable(decoded(end)))) return undefined;
  const text = decoded(bytes);
  if (!isReadable(text)) return undefined;
  return { text, isExact: Buffer.byteLength(text) === bytes.length && !text.includes('\uFFFD') };
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes), { ignoreBOM: true }).decode(bytes);
}

/** In UTF-16, every second byte of a Western text is zero. */
function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let [even, odd] = [0, 0];
  for (const [index, byte] of sample.entries()) {
    if (byte !== 0) continue;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  if (odd * 3 > sample.length && even === 0) return 'utf-16le';
  return even * 3 > sample.length && odd === 0 ? 'utf-16be' : 'utf-8';
}

/** Control characters other than white space, and the replacement character for invalid bytes. */
const FLAW = /(?!\s)\p{Cc}|\uFFFD/gu;

const isReadable = (text: string): boolean =>
  text !== '' && (text.match(FLAW)?.length ?? 0) * CHARACTERS_PER_FLAW <= text.length;

/** The text encoded in a string member of a request; undefined if there is none. */
function encodedText(member: string, value: string): string | undefined {
  return DATA_MEMBERS.has(member) ? open(value)?.text : undefined;
}

/** Changes the text encoded in a string member of a request, and re-encodes it in the same way. */
export function changeEncoded(member: string, value: string, change: (text: string) => string): string {
  const found = DATA_MEMBERS.has(member) ? open(value) : undefined;
  if (!found) return value;
  const changed = change(found.text);
  return changed === found.text ? value : found.close(changed);
}

interface OpenedText {
  readonly text: string;
  readonly close: (text: string) => string;
}

function open(value: string): OpenedText | undefined {
  const [start, declared = ''] = DATA_URL.exec(value) ?? [];
  if (start === undefined)
    return BASE64.test(value) ? opened(Buffer.from(value, 'base64'), toBase64) : undefined;
  const rest = value.slice(start.length);
  if (/;\s*base64\s*$/i.test(declared))
    return opened(Buffer.from(percentDecoded(rest), 'base64'), (text) => start + toBase64(text));
  return opened(Buffer.from(percentDecoded(rest)), (text) => start + encodeURIComponent(text));
}

function opened(bytes: Uint8Array, close: (text: string) => string): OpenedText | undefined {
  const found = textOfBytes(bytes);
  return found && { text: found.text, close };
}

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // Some clients do not escape the percent sign.
    return text.replaceAll(/%[\da-f]{2}/gi, (escape) =>
      String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
    );
  }
}

/** An image, document or audio in a request of any client API. */
export interface MediaPart {
  readonly kind: 'image' | 'document' | 'audio';
  /** Its data in base64; undefined for a URL or a file stored at the provider. */
  readonly base64: string | undefined;
  /** From OpenAI's API: `low`, `high` or `auto`. */
  readonly detail: unknown;
}

/** All images, documents and audio in a request. */
export function mediaIn(body: Json): MediaPart[] {
  const parts: MediaPart[] = [];
  const waiting: unknown[] = ['messages', 'input', 'system', 'contents'].map((name) => body[name]);
  for (let value = waiting.pop(); waiting.length > 0 || value !== undefined; value = waiting.pop()) {
    if (Array.isArray(value)) {
      // Added one by one, because a request can have more messages than a function call can have arguments.
      for (const item of value as readonly unknown[]) if (typeof item === 'object') waiting.push(item);
    } else if (isObject(value)) {
      const part = mediaOf(value);
      if (part) parts.push(part);
      else for (const name in value) if (typeof value[name] === 'object') waiting.push(value[name]);
    }
  }
  return parts;
}

function mediaOf(part: Json): MediaPart | undefined {
  const inline = membersOf(part['inlineData'] ?? part['inline_data']);
  const mimeType = inline['mimeType'] ?? inline['mime_type'];
  if (typeof mimeType === 'string') return mediaPart(kindOf(mimeType), inline['data']);
  switch (part['type']) {
    case 'image_url':
    case 'input_image': {
      const { image_url: image } = part;
      const { url, detail } = isObject(image) ? image : { url: image, detail: part['detail'] };
      return mediaPart('image', dataOf(url), detail);
    }
    case 'image':
      return mediaPart('image', membersOf(part['source'])['data']);
    case 'document': {
      const source = membersOf(part['source']);
      return source['type'] === 'text' || source['type'] === 'content'
        ? undefined
        : mediaPart('document', source['data']);
    }
    case 'file':
    case 'input_file':
      return mediaPart('document', dataOf(membersOf(part['file'])['file_data'] ?? part['file_data']));
    case 'input_audio':
      return mediaPart('audio', membersOf(part['input_audio'])['data'] ?? part['data']);
    default:
      return undefined;
  }
}

const mediaPart = (kind: MediaPart['kind'], data: unknown, detail?: unknown): MediaPart => ({
  kind,
  base64: typeof data === 'string' ? data : undefined,
  detail,
});

const kindOf = (mimeType: string): MediaPart['kind'] =>
  mimeType.startsWith('image/') ? 'image' : /^(audio|video)\//.test(mimeType) ? 'audio' : 'document';

/** The data in a data URL, or in a string that is itself Base64 data. */
function dataOf(text: unknown): string | undefined {
  if (typeof text !== 'string' || /^[a-z]+:\/\//i.test(text.slice(0, 20))) return undefined;
  return text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text;
}
