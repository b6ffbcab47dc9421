import type { MemberEdits } from '../../../shared/json-members.ts';
import { asksForUsage } from '../../wires/chat/stream.ts';
import type { ChatMessage, ChatRequest, Json } from '../../shapes/chat.ts';
import type { OpenAiDialect } from '../provider.ts';
import { WITHOUT_OURS } from '../without-ours.ts';

/** What changes in a request of OpenAI's own wire: the model's name, the limit's name, and that its usage is told. */
export function openAiEdits(body: Json, model: string, dialect: OpenAiDialect): MemberEdits {
  const edits = { ...WITHOUT_OURS, ...limitEdits(body, dialect), model: JSON.stringify(model) };
  const mustAsk = dialect.asksForUsage && body['stream'] === true && !asksForUsage(body);
  if (!mustAsk) return edits;
  const options = { ...(body['stream_options'] as Json | null | undefined), include_usage: true };
  return { ...edits, stream_options: JSON.stringify(options) };
}

/** OpenAI's reasoning models refuse `max_tokens`; all its models accept the newer name. Servers that copy its API may not know it. */
function limitEdits(body: Json, { maxTokens }: OpenAiDialect): MemberEdits {
  const { max_tokens: older, max_completion_tokens: newer } = body;
  if (maxTokens !== 'max_completion_tokens' || typeof older !== 'number' || typeof newer === 'number')
    return {};
  return { max_tokens: undefined, max_completion_tokens: JSON.stringify(older) };
}

/** A request that came over another wire. */
export function openAiRequest(chat: ChatRequest, model: string, dialect: OpenAiDialect): Json {
  const { max_tokens: given, max_completion_tokens: newer, ...rest } = chat;
  const most = newer ?? given;
  return {
    ...rest,
    messages: chat.messages.map(messageOf),
    model,
    ...(most !== undefined && most !== null && { [dialect.maxTokens]: most }),
    ...(chat.stream && dialect.asksForUsage && { stream_options: { include_usage: true } }),
  };
}

/** OpenAI's wire has no member for a tool that failed: its text says so. */
function messageOf({ is_error: isError, ...message }: ChatMessage): ChatMessage {
  if (isError !== true || typeof message.content !== 'string' || /^error\b/i.test(message.content))
    return message;
  return { ...message, content: `Error: ${message.content}` };
}
