import type { Json } from '../shapes/chat.ts';

/** Members of requests that no model reads: the request's own settings, and who asks. */
const SETTINGS = new Set(
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
  ].flat(),
);
/** Members whose texts are ids, kinds, addresses and encoded data; what lies deeper in them is looked at. */
const NO_TEXTS = new Set(
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
  ].flat(),
);
/** Their members can have any names, also those of ids. */
const OF_ANY_NAMES = new Set(
  'input arguments args variables default const enum examples chat_template_kwargs'.split(' '),
);

/**
 * All texts of a request, of any wire: whatever is not known to be no text. So one in a form which the gateway does not know,
 * as a member that only one provider has, is not overlooked.
 */
export function inputTexts(body: Json): string[] {
  return Object.entries(body)
    .filter(
      ([name, member]) => (typeof member === 'object' || typeof member === 'string') && !SETTINGS.has(name),
    )
    .flatMap(([name, member]) => {
      // The names of what tools take are read by models, and a schema is one text: encoders judge what belongs together at once.
      if (SCHEMAS.has(name)) return textOfEach(member);
      return name === 'input' ? textsIn(member) : textsIn({ [name]: member });
    });
}

const SCHEMAS = new Set(['tools', 'functions', 'response_format', 'text', 'output_config', 'output_format']);

const textOfEach = (member: unknown): string[] =>
  (Array.isArray(member) ? (member as unknown[]) : [member])
    .map((one) => textsIn(one, true).join('\n'))
    .filter((text) => text !== '');

/** Where the names of members are of somebody’s choice. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

function textsIn(value: unknown, withNames = false): string[] {
  const texts: string[] = [];
  const collect = (found: unknown, isText: boolean): void => {
    if (typeof found === 'string') {
      if (isText && found !== '') texts.push(found);
    } else if (Array.isArray(found)) {
      for (const item of found as unknown[]) collect(item, isText);
    } else if (typeof found === 'object' && found !== null) {
      for (const [name, member] of Object.entries(found)) collectMember(name, member, found);
    }
  };
  const collectMember = (name: string, member: unknown, around: object): void => {
    if (withNames && MAPS.has(name)) texts.push(...Object.keys(Object(member)));
    // Credentials for servers of tools.
    if (name === 'headers' && 'type' in around && around.type === 'mcp') return;
    // Anthropic's documents of plain text.
    const isPlain = name === 'data' && 'type' in around && around.type === 'text';
    const isWhole = OF_ANY_NAMES.has(name) && typeof member === 'object' && member !== null;
    if (isWhole) texts.push(JSON.stringify(member));
    else collect(member, isPlain || !NO_TEXTS.has(name));
  };
  collect(value, true);
  return texts;
}
