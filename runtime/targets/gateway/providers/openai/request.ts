import type { MemberEdits } from '../../../../core/json-members.ts';
import { asksForUsage } from '../../wires/chat/stream.ts';
import type { ChatRequest, Json } from '../../wires/chat/shape.ts';
import type { OpenAiDialect } from '../api.ts';
import { WITHOUT_OURS } from '../without-ours.ts';

/** What changes in a request of OpenAI's own wire: the model's name, and that its usage is told. */
export function openAiEdits(body: Json, model: string, { asksForUsage: canAsk }: OpenAiDialect): MemberEdits {
  const edits = { ...WITHOUT_OURS, model: JSON.stringify(model) };
  const mustAsk = canAsk && body['stream'] === true && !asksForUsage(body);
  if (!mustAsk) return edits;
  const options = { ...(body['stream_options'] as Json | null | undefined), include_usage: true };
  return { ...edits, stream_options: JSON.stringify(options) };
}

/** A request that came over another wire. */
export function openAiRequest(chat: ChatRequest, model: string, dialect: OpenAiDialect): Json {
  const { max_tokens: given, max_completion_tokens: newer, ...rest } = chat;
  const most = newer ?? given;
  return {
    ...rest,
    model,
    ...(most !== undefined && most !== null && { [dialect.maxTokens]: most }),
    ...(chat.stream && dialect.asksForUsage && { stream_options: { include_usage: true } }),
  };
}
