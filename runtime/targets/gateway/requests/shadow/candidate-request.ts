import { isObject } from '#core/json/is-object.ts';
import { isSecretName } from '#core/text/secret-name.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import { readDirectives } from '../cache/cacheable.ts';
import type { CompletionRequest } from '../completions/completion.ts';
import type { SampledRequest } from '../completions/sampled-requests.ts';
import { isReadable } from './read-answer.ts';

/** Why a request is not compared. */
export type Exclusion =
  | 'no_store'
  | 'endpoint'
  | 'file'
  | 'stored'
  | 'flagged'
  | 'tools'
  | 'several'
  | 'too_large';

/** Maximum size of a request, and of each response. */
export const MAX_COMPARED_BYTES = 512 * 1024;

/** Members that let a provider store data, or that refer to stored data. */
const STORING = [
  'previous_response_id',
  'conversation',
  'background',
  'container',
  'prompt',
  'cachedContent',
];

/** Members with tools that a provider runs itself, which would have effects a second time. */
const PROVIDER_TOOLS = ['web_search_options', 'mcp_servers', 'functions'];

/** Members that identify the user or the client to a provider, or only make sense to the current one. */
const NOT_SENT = new Set([
  'model',
  'stream',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'metadata',
  'labels',
  'service_tier',
  'store',
  'guardrails',
]);

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

/** Returns why a request must not be sent to the candidate; undefined if it can be. */
export function exclusionOf({
  request,
  screened,
  references,
}: Pick<SampledRequest, 'request' | 'screened' | 'references'>): Exclusion | undefined {
  const { body, bytes } = screened.content;
  // A client that forbids to store its request does not want it to be sent elsewhere either.
  if (readDirectives(request.headers.get('cache-control')).noStore) return 'no_store';
  if (!isReadable(request.endpoint)) return 'endpoint';
  if (request.file || references.size > 0) return 'file';
  if (body['store'] === true || STORING.some((name) => isSet(body[name]))) return 'stored';
  // Includes checks that were unavailable, after which the content may contain anything.
  if (screened.guarded.verdicts.some(({ valid }) => !valid)) return 'flagged';
  if (PROVIDER_TOOLS.some((name) => isSet(body[name])) || !areOwnTools(body['tools'])) return 'tools';
  if (typeof body['n'] === 'number' && body['n'] > 1) return 'several';
  return bytes.length > MAX_COMPARED_BYTES ? 'too_large' : undefined;
}

/** Whether the client runs all tools itself. */
const areOwnTools = (tools: unknown): boolean =>
  !isSet(tools) || (Array.isArray(tools) && tools.every((tool) => isObject(tool) && isOwnTool(tool)));

function isOwnTool(tool: Json): boolean {
  const { type } = tool;
  if (type === 'function' || type === 'custom') return true;
  if (type !== undefined) return false;
  // Anthropic's tools of clients have a schema, and Gemini's have declarations and nothing else.
  const names = Object.keys(tool);
  return 'input_schema' in tool || names.every((name) => DECLARATIONS.has(name));
}

const DECLARATIONS = new Set(['functionDeclarations', 'function_declarations']);

/** A request to another model. */
export type OtherRequest = Pick<CompletionRequest, 'endpoint' | 'inPath' | 'bytes'>;

/** The body as sent to other models: what guardrails passed, without identifiers, the model and `stream`. */
export function sharedBody({ endpoint }: Pick<CompletionRequest, 'endpoint'>, body: Json): Json {
  const kept = Object.fromEntries(Object.entries(body).filter(([name]) => !NOT_SENT.has(name)));
  // With the Responses API, providers store responses unless the request forbids it.
  return endpoint === '/v1/responses' ? { ...kept, store: false } : kept;
}

/** The request for the candidate. */
export function candidateRequest(
  { endpoint, inPath }: Pick<CompletionRequest, 'endpoint' | 'inPath'>,
  shared: Json,
  stream: unknown,
  model: string,
): OtherRequest {
  const sent = inPath ? shared : { ...shared, model, ...(stream !== undefined && { stream }) };
  return {
    endpoint,
    inPath: inPath && { ...inPath, model },
    bytes: Buffer.from(JSON.stringify(sent)),
  };
}

/** The tools that the request offers. */
export const hasTools = ({ tools }: Json): boolean => Array.isArray(tools) && tools.length > 0;

/** Whether a request contains a secret, by the name of a member or by its text. */
export async function containsSecret(
  value: unknown,
  isSecret: (text: string) => Promise<boolean>,
): Promise<boolean> {
  if (typeof value === 'string') return await isSecret(value);
  const members = Array.isArray(value) ? value.map((one) => ['', one] as const) : entriesOf(value);
  for (const [name, member] of members)
    if ((typeof member === 'string' && isSecretName(name)) || (await containsSecret(member, isSecret)))
      return true;
  return false;
}

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  isObject(value) ? Object.entries(value) : [];

/** Maximum length of the input that a judge sees: its end, which contains the last messages. */
const MAX_INPUT = 24_000;

/** The input as one text for a judge. */
export function shownInput(body: Json): string {
  const { messages, input, instructions, system, contents, systemInstruction } = body;
  const parts = [instructions, system, systemInstruction, messages ?? input ?? contents].filter(isSet);
  const text = parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join('\n');
  return text.length <= MAX_INPUT ? text : text.slice(-MAX_INPUT).toWellFormed();
}
