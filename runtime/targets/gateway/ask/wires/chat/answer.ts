import type { ChatCompletion, Json, ToolCall } from '../../shapes/chat.ts';
import { customInput, customNames } from '../custom-tools.ts';

export function fromChat(answer: ChatCompletion, request: Json): Json {
  const customs = customNames(request);
  if (customs.size === 0) return { ...answer };
  const choices = answer.choices.map(({ message, ...choice }) => {
    const { tool_calls: calls } = message;
    return { ...choice, message: calls ? { ...message, tool_calls: calls.map(callOf(customs)) } : message };
  });
  return { ...answer, choices };
}

const callOf =
  (customs: ReadonlySet<string>) =>
  (call: ToolCall): Json => {
    const { id, function: called } = call;
    if (!customs.has(called.name)) return { ...call };
    return { id, type: 'custom', custom: { name: called.name, input: customInput(called.arguments) } };
  };
