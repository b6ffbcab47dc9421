import type { Json } from '../shapes/chat.ts';

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
  'input arguments args variables default const enum examples chat_template_kwargs'.split(' '),
);

/**
 * All texts of a request of any client API: every string that is not known to be something else. Thus texts in members that the
 * gateway does not know, for example members of a single provider, are not missed.
 */
export function inputTexts(body: Json): string[] {
  return Object.entries(body)
    .filter(
      ([name, member]) => (typeof member === 'object' || typeof member === 'string') && !SETTINGS.has(name),
    )
    .flatMap(([name, member]) => {
      // Models read the names of tool parameters, and a schema is joined to one text so that encoders judge it as a whole.
      if (SCHEMAS.has(name)) return textOfEach(member);
      return name === 'input' ? textsIn(member) : textsIn({ [name]: member });
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

const textOfEach = (member: unknown): string[] =>
  (Array.isArray(member) ? member : [member])
    .map((one) => textsIn(one, true).join('\n'))
    .filter((text) => text !== '');

/** Members of JSON schemas whose own members have names that the author of the schema chose. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

function textsIn(value: unknown, withNames = false): string[] {
  const texts: string[] = [];
  const collect = (found: unknown, isText: boolean): void => {
    if (typeof found === 'string') {
      if (isText && found !== '') texts.push(found);
    } else if (Array.isArray(found)) {
      for (const item of found) collect(item, isText);
    } else if (typeof found === 'object' && found !== null) {
      for (const [name, member] of Object.entries(found)) collectMember(name, member, found);
    }
  };
  const collectMember = (name: string, member: unknown, around: object): void => {
    if (withNames && MAPS.has(name)) texts.push(...Object.keys(Object(member)));
    // Headers of MCP servers contain credentials.
    if (name === 'headers' && 'type' in around && around.type === 'mcp') return;
    // Plain text documents of Anthropic's API have their text in `data`.
    const isPlain = name === 'data' && 'type' in around && around.type === 'text';
    const isWhole = FREE_FORM_MEMBERS.has(name) && typeof member === 'object' && member !== null;
    if (isWhole) texts.push(JSON.stringify(member));
    else collect(member, isPlain || !NON_TEXT_MEMBERS.has(name));
  };
  collect(value, true);
  return texts;
}
