import { matchesAny } from '#core/text/name-pattern.ts';
import { isObject } from '#core/json/is-object.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { CacheSettings } from './cache-settings.ts';

/** Routes whose answers are not cached: each image and each spoken text is new by intention, and audio files are not compared. */
const UNCACHED_ENDPOINTS = new Set([
  '/v1/images/generations',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/audio/translations',
]);

/** Members of requests whose answers depend on more than the request: on stored conversations, on other servers, or on the time. */
const STATEFUL_MEMBERS = [
  'previous_response_id',
  'conversation',
  'background',
  'container',
  'mcp_servers',
  'web_search_options',
];

/** Types of tools that the client runs itself. Others are run by the provider, with results that change. */
const CLIENT_TOOLS = new Set<unknown>([undefined, 'function', 'custom']);
const GEMINI_CLIENT_TOOLS = new Set(['functionDeclarations', 'function_declarations']);

/** Whether the answer to a request can be cached, and be found there. */
export function isCacheable(
  endpoint: string,
  model: string,
  body: Json,
  { models, sampled }: Pick<CacheSettings, 'models' | 'sampled'>,
): boolean {
  if (UNCACHED_ENDPOINTS.has(endpoint)) return false;
  if (models && !matchesAny(models, model)) return false;
  if (STATEFUL_MEMBERS.some((name) => isSet(body[name]))) return false;
  // The provider keeps the answer under an id, which two requests must not share.
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

/** Whether the client asks for different answers. A request without a temperature has the provider's default. */
function isSampled(body: Json): boolean {
  const config = body['generationConfig'] ?? body['generation_config'];
  const temperature = body['temperature'] ?? memberOf(config, 'temperature');
  return typeof temperature === 'number' && temperature > 0;
}
