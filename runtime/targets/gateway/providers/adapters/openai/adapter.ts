import {
  type OpenAiDialect,
  type ProviderAdapter,
  type UpstreamWire,
  type EmbeddingsExchange,
  type ModelEntry,
  type TokenCount,
  type ErrorText,
  modelEntry,
} from '../provider.ts';
import { OPENAI_DIALECT } from '../presets.ts';
import { responsesUpstream } from './responses.ts';
import { AUDIO_EVENTS } from './audio.ts';
import { editMembers, type MemberEdits } from '../../../shared/json-members.ts';
import { requestsUsage, isUsageOnly } from '../../wires/chat/format.ts';
import type { ChatMessage, ChatRequest, Json } from '../../shapes/chat.ts';
import { REMOVE_GATEWAY_MEMBERS } from '../unsupported.ts';
import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { EventDecoder } from '../../streams/stream.ts';
import type { DecodedFrame } from '../../streams/frames.ts';
import { memberOf } from '#core/values/member-of.ts';
import { objectsIn } from '../../wires/foreign-json.ts';
import { embeddingsUsage } from '../usage-of.ts';
import { isObject } from '#core/json/is-object.ts';

/** The audio APIs do not have a `user` member, and they reject unknown members. */
const NO_USER = { user: undefined };

/** Providers with OpenAI's API. @see https://platform.openai.com/docs/api-reference */
export function openAiAdapter(
  own: Partial<OpenAiDialect> = {},
  { isGoogle }: { readonly isGoogle: boolean } = { isGoogle: false },
): ProviderAdapter {
  const dialect = { ...OPENAI_DIALECT, ...own };
  const wire: UpstreamWire = {
    path: () => '/chat/completions',
    decoder: () => openAiDecoder,
    // Responses are already in the internal format.
    answer: (body) => body,
    edits: (body, model) => openAiEdits(body, model, dialect),
    hidden: (body) => hiddenUsage(body, dialect),
  };
  return {
    type: 'openai',
    headers: (apiKey) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    native: {
      chat: wire,
      completions: completionsUpstream(dialect),
      ...(dialect.hasResponses && { responses: responsesUpstream }),
    },
    translated: {
      wire,
      request: (chat, model) => openAiRequest(isGoogle ? chat : withoutExtraContent(chat), model, dialect),
    },
    embeddings: openAiEmbeddings,
    relays: {
      moderations: { path: () => '/moderations', requiredList: 'results' },
      rerank: { path: () => '/rerank', requiredList: 'results' },
      image_generations: { path: () => '/images/generations', requiredList: 'data' },
      audio_transcriptions: { path: () => '/audio/transcriptions', events: AUDIO_EVENTS, edits: NO_USER },
      audio_translations: { path: () => '/audio/translations', edits: NO_USER },
      audio_speech: { path: () => '/audio/speech', events: AUDIO_EVENTS, isRaw: true, edits: NO_USER },
    },
    ...(dialect.hasResponses && { tokenCount: openAiTokenCount }),
    hasObjects: true,
    realtimePath: (model) => `/realtime?model=${encodeURIComponent(model)}`,
    models: openAiAdapterModels,
    errorText: openAiErrorText,
  };
}

/**
 * Changes to a request that is already in OpenAI's format: the model, the name of the token limit, and the
 * usage in streams.
 */
function openAiEdits(body: Json, model: string, dialect: OpenAiDialect): MemberEdits {
  const edits = { ...REMOVE_GATEWAY_MEMBERS, ...limitEdits(body, dialect), model: JSON.stringify(model) };
  const mustAsk = dialect.streamUsage && body['stream'] === true && !requestsUsage(body);
  if (!mustAsk) return edits;
  const options = { ...membersOf(body['stream_options']), include_usage: true };
  return { ...edits, stream_options: JSON.stringify(options) };
}

/**
 * OpenAI's reasoning models reject `max_tokens`, and all of OpenAI's models accept the newer name.
 * Compatible servers may only know `max_tokens`.
 */
function limitEdits(body: Json, { maxTokens }: OpenAiDialect): MemberEdits {
  const { max_tokens: older, max_completion_tokens: newer } = body;
  if (maxTokens !== 'max_completion_tokens' || typeof older !== 'number' || typeof newer === 'number')
    return {};
  return { max_tokens: undefined, max_completion_tokens: JSON.stringify(older) };
}

/**
 * Adapts a request from another client API, which has already been translated to the internal format.
 * @internal Exported for tests only.
 */
export function openAiRequest(chat: ChatRequest, model: string, dialect: OpenAiDialect): Json {
  const { max_tokens: older, max_completion_tokens: newer, ...rest } = chat;
  const limit = newer ?? older;
  return {
    ...rest,
    messages: chat.messages.map(messageOf),
    model,
    ...(limit !== undefined && limit !== null && { [dialect.maxTokens]: limit }),
    ...(chat.stream && dialect.streamUsage && { stream_options: { include_usage: true } }),
  };
}

/**
 * Removes the signatures of Gemini's calls, because all other providers would receive them as unknown
 * members. @internal Exported for tests only.
 */
export function withoutExtraContent(chat: ChatRequest): ChatRequest {
  const bare = <Value extends { readonly extra_content?: unknown }>({
    extra_content: _signature,
    ...rest
  }: Value) => rest;
  const messages = chat.messages.map((message): ChatMessage => {
    const { tool_calls: calls, ...rest } = bare(message);
    return { ...rest, ...(calls !== undefined && { tool_calls: calls && calls.map(bare) }) };
  });
  return { ...chat, messages };
}

/**
 * OpenAI's API has no member that marks a tool call as failed, so the text of the result is prefixed with
 * `Error:`.
 */
function messageOf({ is_error: isError, ...message }: ChatMessage): ChatMessage {
  if (isError !== true || typeof message.content !== 'string' || /^error\b/i.test(message.content))
    return message;
  return { ...message, content: `Error: ${message.content}` };
}

/** Decodes OpenAI's streams, where each event is a chunk in the internal format. @internal Exported for tests only. */
export const openAiDecoder: EventDecoder<unknown> = (event, data) => {
  if (data === '[DONE]') return { kind: 'end' };
  const json = parseJsonText(data);
  const error = memberOf(json, 'error');
  // Some servers send `error` as the event name and the error itself as the data.
  if (event === 'error' || (error !== undefined && error !== null)) return { kind: 'error', body: json };
  return { kind: 'chunks', chunks: [json] };
};

/** Matches usage events that the gateway requested although the client did not. */
function hiddenUsage(
  body: Json,
  { streamUsage }: OpenAiDialect,
): ((frame: DecodedFrame) => boolean) | undefined {
  if (!streamUsage || requestsUsage(body)) return undefined;
  return ({ step }) => step.kind === 'chunks' && step.chunks.every(isUsageOnly);
}

/**
 * OpenAI's completions API, from before chat. Requests and responses pass through unchanged. @see
 * https://platform.openai.com/docs/api-reference/completions @internal Exported for tests only.
 */
export const completionsUpstream = (dialect: OpenAiDialect): UpstreamWire => ({
  path: () => '/completions',
  decoder: () => (event, data) => {
    const step = openAiDecoder(event, data);
    return step.kind === 'chunks'
      ? { kind: 'chunks', chunks: step.chunks.map((chunk) => withChoices(chunk, 'delta')) }
      : step;
  },
  answer: (body) => withChoices(body, 'message'),
  // Models of the completions API only know the older name of the token limit.
  edits: (body, model) => openAiEdits(body, model, { ...dialect, maxTokens: 'max_tokens' }),
  hidden: (body) => hiddenUsage(body, dialect),
});

/**
 * The choices, with their texts as message content, so that guardrails and usage tracking can read them.
 */
function withChoices(body: unknown, member: 'delta' | 'message'): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const json = body as Json;
  return {
    ...json,
    choices: objectsIn(json['choices'], '`choices`').map(({ text, ...choice }) => ({
      ...choice,
      [member]: { content: text ?? null },
    })),
  };
}

/** Clients and providers have the same API, so bytes pass through in both directions. */
export const openAiEmbeddings: EmbeddingsExchange = {
  path: () => '/embeddings',
  request: ({ bytes, members, model }) =>
    editMembers(bytes, { ...REMOVE_GATEWAY_MEMBERS, model: JSON.stringify(model) }, members),
  answer: undefined,
  usage: embeddingsUsage,
};

export const openAiAdapterModels: ProviderAdapter['models'] = {
  path: '/models',
  list: ({ data }) => (Array.isArray(data) ? data.filter(isObject).flatMap(readModel) : []),
};

const readModel = ({ id, created, owned_by: owner }: Json): ModelEntry[] =>
  modelEntry(id, created, typeof owner === 'string' ? owner : 'unknown');

/**
 * Token counts for OpenAI Responses requests. @see
 * https://platform.openai.com/docs/api-reference/responses/input-tokens
 */
const openAiTokenCount: TokenCount = {
  wire: 'responses',
  path: () => '/responses/input_tokens',
  request: undefined,
  edits: (model) => ({ model: JSON.stringify(model) }),
  count: ({ input_tokens: tokens }) => tokens,
};

/**
 * Parses `{"error": {"message", "type", "code"}}`, and variants used by compatible servers: `error` as text,
 * `detail`, `message`.
 */
export function openAiErrorText(body: unknown): ErrorText {
  const { error, message, detail, code, type } = membersOf(body);
  if (typeof error === 'object' && error !== null) {
    const { message: text, code: own, type: kind } = membersOf(error);
    return { message: textOr(text), code: [own, kind].filter((part) => typeof part === 'string').join(' ') };
  }
  const text = [error, message, detail].find((part) => typeof part === 'string');
  return { message: textOr(text), code: [code, type].filter((part) => typeof part === 'string').join(' ') };
}

const textOr = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
