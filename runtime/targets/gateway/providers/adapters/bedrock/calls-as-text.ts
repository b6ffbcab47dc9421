import type { ChatMessage, ChatRequest } from '../../shapes/chat.ts';
import { partsOf, textOfMessage } from '../content.ts';

/**
 * Converse has no choice of no tool, and refuses calls of earlier turns without a list of tools. So with `tool_choice: none`, calls
 * and results become texts, and the request has no tools.
 */
export function withoutTools(chat: ChatRequest): ChatRequest {
  if (chat.tool_choice !== 'none') return chat;
  const names = new Map(
    chat.messages.flatMap(({ tool_calls: calls }) =>
      (calls ?? []).map((call) => [call.id, call.function.name] as const),
    ),
  );
  return { ...chat, tools: null, messages: chat.messages.map((message) => asText(message, names)) };
}

function asText(message: ChatMessage, names: ReadonlyMap<string, string>): ChatMessage {
  if (message.role === 'tool') {
    const name = names.get(message.tool_call_id ?? '') ?? 'the tool';
    return { role: 'user', content: `Result of ${name}: ${textOfMessage(message)}` };
  }
  const { tool_calls: calls, ...rest } = message;
  if (!calls || calls.length === 0) return message;
  const texts = calls.map(({ function: { name, arguments: text } }) => ({
    type: 'text',
    text: `Called ${name} with ${text}`,
  }));
  return { ...rest, content: [...partsOf(message), ...texts] };
}
