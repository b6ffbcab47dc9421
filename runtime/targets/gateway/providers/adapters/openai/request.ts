import type { MemberEdits } from '../../../shared/json-members.ts';
import { requestsUsage } from '../../wires/chat/stream.ts';
import type { ChatMessage, ChatRequest, Json } from '../../shapes/chat.ts';
import type { OpenAiDialect } from '../provider.ts';
import { REMOVE_GATEWAY_MEMBERS } from '../gateway-members.ts';
import { membersOf } from '#core/json/members-of.ts';

/** Changes to a request that is already in OpenAI's format: the model, the name of the token limit, and the usage of streams. */
export function openAiEdits(body: Json, model: string, dialect: OpenAiDialect): MemberEdits {
  const edits = { ...REMOVE_GATEWAY_MEMBERS, ...limitEdits(body, dialect), model: JSON.stringify(model) };
  const mustAsk = dialect.streamUsage && body['stream'] === true && !requestsUsage(body);
  if (!mustAsk) return edits;
  const options = { ...membersOf(body['stream_options']), include_usage: true };
  return { ...edits, stream_options: JSON.stringify(options) };
}

/** OpenAI's reasoning models reject `max_tokens`, and all its models accept the newer name. Compatible servers may not know it. */
function limitEdits(body: Json, { maxTokens }: OpenAiDialect): MemberEdits {
  const { max_tokens: older, max_completion_tokens: newer } = body;
  if (maxTokens !== 'max_completion_tokens' || typeof older !== 'number' || typeof newer === 'number')
    return {};
  return { max_tokens: undefined, max_completion_tokens: JSON.stringify(older) };
}

/** Translates a request of another client API, from the internal format. */
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

/** Removes signatures of Gemini's calls, which are unknown members for all other providers. */
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

/** OpenAI's API has no member for a failed tool, so the text of its result is prefixed with `Error:`. */
function messageOf({ is_error: isError, ...message }: ChatMessage): ChatMessage {
  if (isError !== true || typeof message.content !== 'string' || /^error\b/i.test(message.content))
    return message;
  return { ...message, content: `Error: ${message.content}` };
}
