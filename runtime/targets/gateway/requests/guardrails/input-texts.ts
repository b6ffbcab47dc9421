import { isObject } from '#core/json/is-object.ts';
import { pushAll } from '#core/values/push-all.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import { encodedText } from './encoded-text.ts';
import { checkedReadings } from './readings.ts';

/** Members of requests that models do not read: settings and the identity of the caller. */
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
/** Members whose strings are ids, types, URLs or encoded data. Objects and lists inside them are still searched for texts. */
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
/** Members whose own members can have any name, including names in the sets above. They are checked as a whole. */
export const FREE_FORM_MEMBERS = new Set(
  'input arguments args response attributes variables default const enum examples chat_template_kwargs'.split(
    ' ',
  ),
);

/** How texts are searched. */
interface Search {
  /** The ways in which a text can be read. */
  readonly read: (text: string) => readonly string[];
  /** Whether names in schemas are texts, too. */
  readonly withNames?: boolean;
  /** Whether texts in encoded data are, which models read. */
  readonly withEncoded?: boolean;
}

const CHECKED: Search = { read: checkedReadings, withEncoded: true };
const WRITTEN: Search = { read: (text) => [text] };

/**
 * All texts of a request of any client API: every string that is not known to be something else. Thus texts in members that the
 * gateway does not know, for example members of a single provider, are not missed.
 */
export const checkedTexts = (body: Json): string[] => inputTexts(body, CHECKED);

/** The same texts, each once as it is written and without encoded data, to count their tokens. */
export const writtenTexts = (body: Json): string[] => inputTexts(body, WRITTEN);

function inputTexts(body: Json, search: Search): string[] {
  return Object.entries(body)
    .filter(
      ([name, member]) => (typeof member === 'object' || typeof member === 'string') && !SETTINGS.has(name),
    )
    .flatMap(([name, member]) => {
      // Models read the names of tool parameters, and a schema is joined to one text so that encoders judge it as a whole.
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

/** Members of JSON schemas whose own members have names that the author of the schema chose. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

function textsIn(value: unknown, { read, withNames = false, withEncoded = false }: Search): string[] {
  const texts: string[] = [];
  const collect = (found: unknown, isText: boolean): void => {
    if (typeof found === 'string') {
      if (isText && found !== '') pushAll(texts, read(found));
    } else if (Array.isArray(found)) {
      for (const item of found) collect(item, isText);
    } else if (typeof found === 'object' && found !== null) {
      for (const [name, member] of Object.entries(found)) collectMember(name, member, found);
    }
  };
  const collectMember = (name: string, member: unknown, around: object): void => {
    if (withNames && MAPS.has(name)) for (const own of Object.keys(Object(member))) texts.push(own);
    // Headers of MCP servers contain credentials.
    if (withNames && name === 'headers' && around === value && isMcpTool(around)) return;
    // Plain text documents of Anthropic's API have their text in `data`.
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
    // In JSON, a line end and a quote are escapes, which a pattern does not expect.
    if (read !== WRITTEN.read && written.includes('\\')) collectStrings(member, texts);
  };
  collect(value, true);
  return texts;
}

/** Adds all strings that have escapes in JSON, also those in lists and objects. */
function collectStrings(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (JSON.stringify(value).includes('\\')) pushAll(texts, checkedReadings(value));
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collectStrings(member, texts);
  }
}

/** Whether a tool is an MCP server, which the provider calls. */
export const isMcpTool = (tool: unknown): tool is Json => isObject(tool) && tool['type'] === 'mcp';
