import { lookup } from '#core/values/lookup.ts';
import { matchesAny } from '#core/text/name-pattern.ts';
import { isObject } from '#core/json/is-object.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { CacheSettings, SemanticSettings } from './cache-settings.ts';
import { createHash } from 'node:crypto';
import type { JsonMember } from '../../shared/json-members.ts';

/**
 * Routes whose responses are not cached: generated images and speech are meant to be new each time, and
 * uploaded audio files are not compared.
 */
const UNCACHED_ENDPOINTS = new Set([
  '/v1/images/generations',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/audio/translations',
]);

/**
 * Request fields that make the response depend on something outside the request: stored conversations,
 * other servers, or the current time.
 */
const STATEFUL_MEMBERS = [
  'previous_response_id',
  'conversation',
  'background',
  'container',
  'mcp_servers',
  'web_search_options',
];

/**
 * Types of tools that the client runs itself. The provider runs all other tools, whose results can change.
 */
const CLIENT_TOOLS = new Set<unknown>([undefined, 'function', 'custom']);

const GEMINI_CLIENT_TOOLS = new Set(['functionDeclarations', 'function_declarations']);

/** Whether the response to a request can be stored in the cache and served from it. */
export function isCacheable(
  endpoint: string,
  model: string,
  body: Json,
  { models, sampled }: Pick<CacheSettings, 'models' | 'sampled'>,
): boolean {
  if (UNCACHED_ENDPOINTS.has(endpoint)) return false;
  if (models && !matchesAny(models, model)) return false;
  if (STATEFUL_MEMBERS.some((name) => isSet(body[name]))) return false;
  // The provider stores the response under an ID, and two requests must not share the same ID.
  if (body['store'] === true) return false;
  const isGemini = endpoint.startsWith('/v1beta/');
  const tools = body['tools'];
  if (Array.isArray(tools) && !tools.every(isGemini ? isGeminiClientTool : isClientTool)) return false;
  return sampled || !isSampled(body);
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

const isClientTool = (tool: unknown): boolean => CLIENT_TOOLS.has(memberOf(tool, 'type'));

const isGeminiClientTool = (tool: unknown): boolean =>
  isObject(tool) && Object.keys(tool).every((name) => GEMINI_CLIENT_TOOLS.has(name));

/**
 * Whether the request's temperature asks for varied responses. A request without a temperature uses the
 * provider's default.
 */
function isSampled(body: Json): boolean {
  const config = body['generationConfig'] ?? body['generation_config'];
  const temperature = body['temperature'] ?? memberOf(config, 'temperature');
  return typeof temperature === 'number' && temperature > 0;
}

/** Directives in a request's `Cache-Control` header. */
interface Directives {
  /** The model must be called even if a response is cached; the new response is cached. */
  readonly noCache: boolean;
  /** The response must not be cached. */
  readonly noStore: boolean;
  /** Maximum age of a cached response; undefined if unlimited. */
  readonly maxAgeMs: number | undefined;
}

const NONE: Directives = { noCache: false, noStore: false, maxAgeMs: undefined };

/** @see https://www.rfc-editor.org/rfc/rfc9111#section-5.2.1 */
export function readDirectives(header: string | null | undefined): Directives {
  if (!header) return NONE;
  const parts = header.toLowerCase().split(',');
  const names = new Set(parts.map((part) => part.trim()));
  const [, seconds] = /(?:^|,)\s*max-age="?(\d{1,9})"?\s*(?:,|$)/.exec(header.toLowerCase()) ?? [];
  const maxAgeMs = seconds === undefined ? undefined : Number(seconds) * 1000;
  return { noCache: names.has('no-cache') || maxAgeMs === 0, noStore: names.has('no-store'), maxAgeMs };
}

interface KeyParts {
  /** Everything that the response depends on in addition to the body, in a fixed order. */
  readonly facts: readonly (string | number | boolean | null)[];
  /** The body as sent by the client. */
  readonly bytes: Uint8Array;
  readonly members: readonly JsonMember[];
  /**
   * Names of the body's members that are left out of the key: they do not affect the response, or one of
   * the `facts` replaces them.
   */
  readonly left: ReadonlySet<string>;
}

/**
 * Members that `facts` replace: the model is replaced by its targets, and the guardrails by those that
 * apply.
 */
const REPLACED = ['model', 'stream', 'guardrails'];

/** Members that only identify the client or determine where the provider caches the prompt. */
const IDENTIFYING = [
  'user',
  'metadata',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'store',
];

/** Responses on this route repeat the identifying members of the request. */
const REPEATING_ENDPOINT = '/v1/responses';

const LEFT_WHERE_REPEATED: ReadonlySet<string> = new Set(REPLACED);

const LEFT: ReadonlySet<string> = new Set([...REPLACED, ...IDENTIFYING]);

/** Names of the request members that are not part of the cache key. */
export const membersLeft = (endpoint: string): ReadonlySet<string> =>
  endpoint === REPEATING_ENDPOINT ? LEFT_WHERE_REPEATED : LEFT;

/**
 * The cache key of a request. Its members are compared byte by byte, so requests whose responses could
 * differ never share a key; the order of members does not matter.
 */
export function cacheKey({ facts, bytes, members, left }: KeyParts): string {
  const hash = createHash('sha256').update(JSON.stringify(facts));
  const kept = members.filter(({ name }) => !left.has(name));
  for (const { name, value, end } of kept.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    hash.update(JSON.stringify([name, end - value])).update(bytes.subarray(value, end));
  }
  return hash.digest('base64url');
}

/** The part of a request that only has to be similar to the cached one, rather than identical. */
interface Question {
  readonly text: string;
  /** The rest of the conversation and the numbers in the question, all of which must be identical. */
  readonly exact: string;
  /** The name of the body member that contains the conversation. */
  readonly member: string;
}

/** The members that contain the conversation. */
const MEMBERS = lookup<string>({
  '/v1/chat/completions': 'messages',
  '/v1/messages': 'messages',
  '/v1/responses': 'input',
  '/v1/completions': 'prompt',
  '/v1beta/models/{model}:generateContent': 'contents',
  '/v1beta/models/{model}:streamGenerateContent': 'contents',
});

/** Returns a request's question; undefined if the question must not be compared with others. */
export function questionOf(
  endpoint: string,
  body: Json,
  { question, maxCharacters }: Pick<SemanticSettings, 'question' | 'maxCharacters'>,
): Question | undefined {
  const member = MEMBERS[endpoint];
  if (member === undefined) return undefined;
  const messages = messagesIn(body[member]);
  const last = messages.at(-1);
  if (!last || !isUser(last)) return undefined;
  const compared =
    question === 'last_message' ? [last] : messages.filter((message) => !isInstruction(message));
  const texts = compared.map(textIn);
  if (!texts.every((text) => text !== undefined)) return undefined;
  const text = texts.join('\n').trim();
  if (text === '' || text.length > maxCharacters) return undefined;
  const rest = messages.filter((message) => !compared.includes(message));
  const others = compared.map((message) => ({ ...message, content: null, parts: null }));
  return { text, exact: JSON.stringify([rest, others, numbersIn(text)]), member };
}

/** The messages in any API's format, as objects. */
function messagesIn(conversation: unknown): readonly Json[] {
  if (typeof conversation === 'string') return [{ role: 'user', content: conversation }];
  return Array.isArray(conversation) && conversation.every(isObject) ? conversation : [];
}

/** Gemini's API allows a message without a role. */
const isUser = (message: Json): boolean => {
  const { role } = message;
  return role === 'user' || (role === undefined && 'parts' in message);
};

const isInstruction = (message: Json): boolean => ['system', 'developer'].includes(String(message['role']));

/** A message's text; undefined if the message contains anything else, for example an image. */
function textIn(message: Json): string | undefined {
  const content = message['content'] ?? message['parts'];
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part: unknown) => (isTextPart(part) ? memberOf(part, 'text') : undefined));
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : undefined;
}

const TEXT_TYPES = new Set<unknown>([undefined, 'text', 'input_text', 'output_text']);

const isTextPart = (part: unknown): boolean => TEXT_TYPES.has(memberOf(part, 'type'));

/**
 * Encoders hardly distinguish numbers: a question about 2023 has nearly the same vector as one about 2024.
 */
const numbersIn = (text: string): readonly string[] => text.match(/\p{N}+(?:[.,:]\p{N}+)*/gu) ?? [];
