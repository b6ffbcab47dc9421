import { inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import type { ToolCall } from '../../../providers/shapes/chat.ts';
import type { BackendMessage } from '../backends/backend.ts';
import { CONVERSATION_COLUMNS } from './conversation.ts';
import { listIn, objectIn, shown, textIn } from './read-members.ts';

const NAME = CONVERSATION_COLUMNS.messages;
const MAX_MESSAGES = 500;
const MAX_CALLS_PER_MESSAGE = 128;

/** Reads the messages of a conversation, in the format of chat completions. Throws an InputError. */
export function readMessages(value: unknown): readonly BackendMessage[] {
  if (value === undefined) return [];
  const messages = listIn(value, NAME, MAX_MESSAGES).map(readMessage);
  checkCallIds(messages);
  return messages;
}

function readMessage(value: unknown): BackendMessage {
  const { role, content, tool_calls: calls, tool_call_id: id } = objectIn(value, NAME);
  if (role === 'system' || role === 'developer' || role === 'user') {
    return { role: role === 'user' ? 'user' : 'system', content: textOf(content) };
  }
  if (role === 'tool')
    return { role, content: textOf(content), tool_call_id: textIn(id, `${NAME}.tool_call_id`) };
  if (role !== 'assistant') {
    throw inputError(`The role in \`${NAME}\` must be system, user, assistant or tool, not ${shown(role)}.`);
  }
  if (calls === undefined || calls === null) return { role, content: textOf(content) };
  const list = listIn(calls, `${NAME}.tool_calls`, MAX_CALLS_PER_MESSAGE).map(readCall);
  return {
    role,
    content: content === null || content === undefined ? null : textOf(content),
    tool_calls: list,
  };
}

function readCall(value: unknown): ToolCall {
  const { id, function: called } = objectIn(value, `${NAME}.tool_calls`);
  const { name, arguments: given } = objectIn(called, `${NAME}.tool_calls.function`);
  return {
    id: textIn(id, `${NAME}.tool_calls.id`),
    type: 'function',
    function: {
      name: textIn(name, `${NAME}.tool_calls.function.name`),
      arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
    },
  };
}

/** A message's text. Parts are joined; only texts are supported. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content.map(partText) : [];
  const texts = parts.filter((part) => part !== undefined);
  if (parts.length > 0 && texts.length === parts.length) return texts.join('');
  throw inputError(`The content of a message must be a text, not ${shown(content)}.`);
}

const partText = (part: unknown): string | undefined =>
  isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : undefined;

/** Throws an InputError for a tool result without its call, which providers reject. */
function checkCallIds(messages: readonly BackendMessage[]): void {
  const ids = new Set<string>();
  for (const { tool_calls: calls = [], tool_call_id: id } of messages) {
    for (const call of calls) ids.add(call.id);
    if (id !== undefined && !ids.has(id)) {
      throw inputError(
        `\`${NAME}\` has a result for the call ${shown(id)}, which no earlier message contains.`,
      );
    }
  }
}
